/**
 * Builds what browsers load: `node web/chat-widget/build.ts` writes `dist/s.js`, the whole widget as one script, and
 * `dist/widget.mjs`, the chat without looks.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Plugin, transform } from 'esbuild';

const folder = import.meta.dirname;
const dist = join(folder, 'dist');

/** A style sheet that a script imports becomes its text, made small. */
const styleSheets: Plugin = {
  name: 'style-sheets',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true, target: 'es2022' });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

/** JSX as plain calls of `h`, which is smaller than what the automatic transform makes of it. */
const jsx: BuildOptions = { jsx: 'transform', jsxFactory: 'h', jsxFragment: 'Fragment' };

const outputs: BuildOptions[] = [
  { entryPoints: ['index.ts'], format: 'iife', outfile: join(dist, 's.js'), plugins: [styleSheets], ...jsx },
  { entryPoints: ['widget.ts'], format: 'esm', outfile: join(dist, 'widget.mjs') },
];

/** The files by their names. */
export async function bundle(): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const output of outputs) {
    const { outputFiles = [] } = await build({
      ...output,
      absWorkingDir: folder,
      bundle: true,
      minify: true,
      target: 'es2023',
      // No page's encoding can spoil it.
      charset: 'ascii',
      legalComments: 'none',
      write: false,
    });
    for (const { path, contents } of outputFiles) files.set(basename(path), contents);
  }
  return files;
}

/** Whoever serves the folder meanwhile never sees half a file. */
export async function buildWidget(): Promise<void> {
  mkdirSync(dist, { recursive: true });
  for (const [name, contents] of await bundle()) {
    const whole = join(dist, `.${name}.${process.pid}`);
    writeFileSync(whole, contents);
    renameSync(whole, join(dist, name));
  }
}

if (import.meta.main) await buildWidget();
