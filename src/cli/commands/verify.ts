import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds } from '#actors/kinds.ts';
import { dataFileOf } from '#src/config/data-file.ts';
import { sealKeysOf } from '#src/security/seal-key.ts';
import { findWorkspace, type GlobalFlags, workspaceConfig } from '../workspace.ts';

export function verifyCommand(): Command {
  return new Command('verify')
    .description('check the data file of a workspace, also while its hub runs; exit code 1: something is wrong')
    .action((_options, command: Command) => {
      const config = workspaceConfig(findWorkspace(command.optsWithGlobals<GlobalFlags>()));
      const file = dataFileOf(config);
      if (!existsSync(file)) throw new Error(`there is no data file ${file}: the hub has not run yet`);
      const { problems, turns, rows } = verifyFile(file, kinds, sealKeysOf(config.security).sealKey);
      for (const problem of problems) process.stdout.write(`${problem}\n`);
      if (problems.length > 0) process.exitCode = 1;
      else process.stdout.write(`ok: ${turns} turns, ${rows} rows\n`);
    });
}
