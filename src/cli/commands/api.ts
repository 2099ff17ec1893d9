import { Command } from 'commander';
import { apiTarget, type GlobalFlags } from '../workspace.ts';

export function apiCommand(): Command {
  const endpoint = new Command('endpoint')
    .description('print the address of the HTTP API')
    .option('--json', 'print JSON')
    .action((_options, command: Command) => {
      const flags = command.optsWithGlobals<GlobalFlags & { json?: true }>();
      const target = apiTarget(flags);
      process.stdout.write(flags.json ? `${JSON.stringify({ endpoint: target.endpoint })}\n` : `${target.endpoint}\n`);
    });
  return new Command('api').description('about the HTTP API').addCommand(endpoint);
}
