/** Builds what browsers load: `dist/s.js`, the whole widget as one script, and `dist/widget.mjs`, the chat without looks. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Plugin, transform } from 'esbuild';

const folder = import.meta.dirname;
const dist = join(folder, 'dist');

/** A style sheet becomes its text, made small. */
const styleSheets: Plugin = {
  name: 'style-sheets',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true, target: 'es2022' });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

const outputs: BuildOptions[] = [
  { entryPoints: ['index.ts'], format: 'iife', outfile: join(dist, 's.js') },
  { entryPoints: ['widget.ts'], format: 'esm', outfile: join(dist, 'widget.mjs') },
];

mkdirSync(dist, { recursive: true });
for (const output of outputs) {
  const { outputFiles = [] } = await build({
    ...output,
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    target: 'es2023',
    // No page's encoding can spoil it.
    charset: 'ascii',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    plugins: [styleSheets],
    write: false,
  });
  // Whoever serves the folder meanwhile never sees half a file.
  for (const { path, contents } of outputFiles) {
    const whole = join(dist, `.${basename(path)}.${process.pid}`);
    writeFileSync(whole, contents);
    renameSync(whole, path);
  }
}
