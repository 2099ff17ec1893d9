import { existsSync } from 'node:fs';
import { Command } from 'commander';
import type { Verification } from '#actors/journal/verify.ts';
import { dataFileOf } from '#src/config/data-file.ts';
import { sealKeysOf } from '#src/security/seal-key.ts';
import { findWorkspace, type GlobalFlags, workspaceConfig } from '../workspace.ts';

/** Loaded when it is needed: no other command has use for it. */
async function loadVerifier(): Promise<(file: string, sealKey: Uint8Array) => Verification> {
  const [{ verifyFile }, { kinds }] = await Promise.all([
    import('#actors/journal/verify.ts'),
    import('#actors/kinds.ts'),
  ]);
  return (file, sealKey) => verifyFile(file, kinds, sealKey);
}

export function verifyCommand(): Command {
  return new Command('verify')
    .description('check the data file of a workspace, also while its hub runs; exit code 1: something is wrong')
    .action(async (_options, command: Command) => {
      const config = workspaceConfig(findWorkspace(command.optsWithGlobals<GlobalFlags>()));
      const file = dataFileOf(config);
      if (!existsSync(file)) throw new Error(`there is no data file ${file}: the hub has not run yet`);
      const { problems, turns, rows } = (await loadVerifier())(file, sealKeysOf(config.security).sealKey);
      for (const problem of problems) process.stdout.write(`${problem}\n`);
      if (problems.length > 0) process.exitCode = 1;
      else process.stdout.write(`ok: ${turns} turns, ${rows} rows\n`);
    });
}
