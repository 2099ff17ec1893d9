import { runCli } from '#src/cli/main.ts';

// What the program makes holds secrets and conversations: it is its owner's alone, whatever folder it is in.
process.umask(0o077);
process.exitCode = await runCli(process.argv.slice(2));
