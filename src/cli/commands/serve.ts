import { Command, InvalidArgumentError } from 'commander';
import { createLogger, logLevelOf } from '#src/logger.ts';
import { serveUntilStopped } from '../serve.ts';
import { findWorkspace, type GlobalFlags, servedConfig } from '../workspace.ts';

/** The value of a `--port` flag: 0 (any free port) to 65535. */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
  }
  return Number(text);
}

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the instance of a workspace in the foreground; SIGTERM or Ctrl-C stops it')
    .option('--port <number>', 'port of the API instead of the configured one; 0: any free port', parsePort)
    .action(async (_options, command: Command) => {
      const flags = command.optsWithGlobals<GlobalFlags & { port?: number }>();
      const log = createLogger({ level: logLevelOf(process.env, 'info') });
      const config = servedConfig(findWorkspace(flags), log);
      if (flags.port !== undefined) config.server.port = flags.port;
      await serveUntilStopped(config, log);
    });
}
