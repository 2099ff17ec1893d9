import { Command } from 'commander';
import { createApiClient } from '../api-client.ts';
import { apiTarget, type GlobalFlags } from '../workspace.ts';

interface ClientConfig {
  cluster_version: string;
  services: Record<string, { enabled: boolean; healthy: boolean; component: string }>;
}

/** The rows in columns as wide as their widest cell. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');

export function statusCommand(): Command {
  return new Command('status')
    .description('report the services of the instance')
    .option('--json', 'print JSON')
    .action(async (_options, command: Command) => {
      const flags = command.optsWithGlobals<GlobalFlags & { json?: true }>();
      const client = createApiClient(apiTarget(flags));
      const config = await client.call<ClientConfig>('client.config');
      if (flags.json) {
        const facts = { endpoint: client.endpoint, version: config.cluster_version, services: config.services };
        process.stdout.write(`${JSON.stringify(facts)}\n`);
        return;
      }
      const rows = Object.entries(config.services)
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([name, service]) => [name, yesOrNo(service.enabled), yesOrNo(service.healthy), service.component]);
      process.stdout.write(`Parley ${config.cluster_version} at ${client.endpoint}\n\n`);
      process.stdout.write(formatTable([['SERVICE', 'ENABLED', 'HEALTHY', 'COMPONENT'], ...rows]));
    });
}
