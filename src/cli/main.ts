import { Command, CommanderError } from 'commander';
import { version } from '#src/version.ts';
import { apiCommand } from './commands/api.ts';
import { createCommand } from './commands/create.ts';
import { demoCommand } from './commands/demo.ts';
import { demoSourceCommand } from './commands/demo-source.ts';
import { serveCommand } from './commands/serve.ts';
import { simulateCommand } from './commands/simulate.ts';
import { startCommand } from './commands/start.ts';
import { statusCommand } from './commands/status.ts';
import { verifyCommand } from './commands/verify.ts';
import { versionCommand } from './commands/version.ts';

function program(): Command {
  const root = new Command('parley')
    .description('A self-hosted conversational messaging hub: one API over many messaging sources.')
    .option('--apihost <url>', 'address of the HTTP API (default: the one of the workspace)')
    .option('--workspace <directory>', 'workspace directory (default: the current one, else ./.parley)')
    .version(version, '--version', 'print the version')
    .showSuggestionAfterError()
    .showHelpAfterError('(parley --help lists the commands)')
    .exitOverride();
  const commands = [
    createCommand(),
    startCommand(),
    serveCommand(),
    demoCommand(),
    simulateCommand(),
    statusCommand(),
    apiCommand(),
    verifyCommand(),
    versionCommand(),
  ];
  for (const command of commands) root.addCommand(command);
  root.addCommand(demoSourceCommand(), { hidden: true });
  for (const command of allCommands(root)) command.copyInheritedSettings(root).exitOverride();
  return root;
}

function allCommands(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...allCommands(child)]);
}

/**
 * Runs a command line (without the program's own name).
 * @returns the exit code: 0, or 1 after an error, whose text has gone to standard error.
 */
export async function runCli(args: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Commander has written its own errors and help already; those it counts as success have code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    if (process.env['PARLEY_DEBUG'] && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    return 1;
  }
}
