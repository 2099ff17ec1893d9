import { Command } from 'commander';
import { version } from '#src/version.ts';

export function versionCommand(): Command {
  return new Command('version')
    .description('print version information')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: true }) => {
      const facts = { version, node: process.versions.node, platform: `${process.platform}-${process.arch}` };
      process.stdout.write(json ? `${JSON.stringify(facts)}\n` : `parley ${version}\n`);
    });
}
