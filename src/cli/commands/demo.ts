import { Command } from 'commander';
import { simulatedSources } from '#src/doubles/sources.ts';
import { createApiClient } from '../api-client.ts';
import { runPlatformDemo } from '../demo/platform-demo.ts';
import { runDemo } from '../demo/run-demo.ts';
import { apiTarget, findWorkspace, type GlobalFlags } from '../workspace.ts';

/** Aborts when the user presses Ctrl-C or the process is asked to end. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(new Error('the demo was interrupted')));
  }
  return controller.signal;
}

const sources = simulatedSources.map(({ source }) => source).join(', ');

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

export function demoCommand(): Command {
  return new Command('demo')
    .description('play a conversation through a running hub with a small custom source')
    .option('--source <source>', `play with the double of a platform instead: ${sources}`)
    .action(async (_options, command: Command) => {
      const flags = command.optsWithGlobals<GlobalFlags & { source?: string }>();
      const client = createApiClient(apiTarget(flags));
      if (flags.source === undefined) return runDemo(client, print, interruption());
      const workspace = ['--workspace', findWorkspace(flags)];
      await runPlatformDemo(client, flags.source, workspace, print, interruption());
    });
}
