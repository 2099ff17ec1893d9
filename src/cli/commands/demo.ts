import { Command } from 'commander';
import { createApiClient } from '../api-client.ts';
import { runDemo } from '../demo/run-demo.ts';
import { apiTarget, type GlobalFlags } from '../workspace.ts';

/** Aborts when the user presses Ctrl-C or the process is asked to end. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(new Error('the demo was interrupted')));
  }
  return controller.signal;
}

export function demoCommand(): Command {
  return new Command('demo')
    .description('play a conversation through a running hub with a small custom source')
    .action(async (_options, command: Command) => {
      const client = createApiClient(apiTarget(command.optsWithGlobals<GlobalFlags>()));
      await runDemo(client, (line) => process.stdout.write(`${line}\n`), interruption());
    });
}
