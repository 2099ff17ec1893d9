import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { createLogger, logLevelOf } from '#src/logger.ts';
import { serveUntilStopped } from '../serve.ts';
import { configFileOf, createWorkspace, type GlobalFlags, servedConfig } from '../workspace.ts';

interface CreateFlags extends GlobalFlags {
  initOnly?: true;
  namespace: string;
  provider: string;
  providerConfig?: Map<string, string>;
}

/** What whoever makes a workspace should know (decision 23). */
const openness =
  'the API is open to every program of this machine: security.authentication: true in it asks for the token\n';

/** What `--provider-config` may set for the local provider: dotted keys of the configuration. */
const localSettings: Record<string, string> = { port: 'server.port', metricsPort: 'server.metricsPort' };

function parseNamespace(text: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) {
    throw new InvalidArgumentError('Use lower-case letters, digits and hyphens, at most 63.');
  }
  return text;
}

function parseProviderConfig(text: string): Map<string, string> {
  const settings = new Map<string, string>();
  for (const item of text.split(',')) {
    const [name = '', value = '', ...rest] = item.split('=').map((part) => part.trim());
    const key = Object.hasOwn(localSettings, name) ? localSettings[name] : undefined;
    if (key === undefined || rest.length > 0 || !/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
      throw new InvalidArgumentError(`Use <key=value,...> with the keys ${Object.keys(localSettings).join(' and ')}.`);
    }
    settings.set(key, value);
  }
  return settings;
}

export function createCommand(): Command {
  return new Command('create')
    .description('create a workspace with the default configuration and start its instance')
    .argument('[directory]', 'workspace directory (default: --workspace, else the current one)')
    .option('--disable-tracking', 'accepted for compatibility: Parley tracks nothing')
    .option('--init-only', 'only create the workspace')
    .option('--namespace <name>', 'name of the instance', parseNamespace, 'default')
    .addOption(new Option('--provider <name>', 'where the instance runs').choices(['local']).default('local'))
    .option('--provider-config <key=value,...>', 'settings of the provider: port, metricsPort', parseProviderConfig)
    .action(async (directory: string | undefined, _options, command: Command) => {
      const flags = command.optsWithGlobals<CreateFlags>();
      const workspace = resolve(directory ?? flags.workspace ?? '.');
      const level = logLevelOf(process.env, 'info');
      createWorkspace(
        workspace,
        { apihost: '', namespace: flags.namespace, provider: flags.provider },
        flags.providerConfig,
      );
      process.stderr.write(`created ${configFileOf(workspace)}\n${openness}`);
      const log = createLogger({ level });
      if (!flags.initOnly) await serveUntilStopped(servedConfig(workspace, log), log);
    });
}
