import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Command } from 'commander';
import type { Config } from '#src/config/config.ts';
import { createLogger, logLevelOf } from '#src/logger.ts';
import type { HubAddresses } from '#src/node/front.ts';
import { serveUntilStopped } from '../serve.ts';
import { configFileOf, createWorkspace, defaultWorkspace, type GlobalFlags, servedConfig } from '../workspace.ts';
import { demoPage } from '../demo-channel.ts';
import { parsePort } from './serve.ts';

/**
 * What `start` prints when the hub answers: addresses, where the token is (never its value), and a first call.
 * @param chat where a chat can be tried; null: nowhere
 */
export function welcome(
  config: Config,
  file: string,
  { url, metricsUrl }: HubAddresses,
  chat: string | null = null,
): string {
  const needsToken = config.security.authentication;
  const authorization = needsToken ? ` -H "Authorization: Bearer $PARLEY_TOKEN"` : '';
  return `
Parley is ready.

  API      ${url}
  Docs     ${url}/docs${chat === null ? '' : `\n  Chat     ${chat}`}
  Metrics  ${metricsUrl}
  Token    security.systemToken in ${file}${needsToken ? '' : ' (not asked for: security.authentication is false)'}
${needsToken ? '\nPut the token into PARLEY_TOKEN, then try:\n' : '\nTry it in another terminal:\n'}
  curl -s -X POST ${url}/client.config -H 'Content-Type: application/json'${authorization} -d '{}'

"npm run parley -- demo" plays a conversation through the hub. Ctrl-C stops it.
`;
}

/** Relative to the current folder where that is shorter to read. */
const shortPath = (file: string): string => {
  const path = relative('.', file);
  return path.startsWith('..') ? file : path;
};

export function startCommand(): Command {
  return new Command('start')
    .description(`run the instance of ${defaultWorkspace}, making it first where it is missing`)
    .option('--port <number>', 'port of the API instead of the configured one; 0: any free port', parsePort)
    .action(async (_options, command: Command) => {
      const flags = command.optsWithGlobals<GlobalFlags & { port?: number }>();
      const workspace = resolve(flags.workspace ?? defaultWorkspace);
      const file = configFileOf(workspace);
      if (!existsSync(file)) createWorkspace(workspace, { apihost: '', namespace: 'default', provider: 'local' });
      // People read this terminal: only what needs them is logged, unless PARLEY_LOG_LEVEL asks for more.
      const log = createLogger({ level: logLevelOf(process.env, 'warn') });
      const config = servedConfig(workspace, log);
      if (flags.port !== undefined) config.server.port = flags.port;
      await serveUntilStopped(config, log, async (addresses) => {
        const chat = await demoPage(config, addresses.url);
        process.stdout.write(welcome(config, shortPath(file), addresses, chat));
      });
    });
}
