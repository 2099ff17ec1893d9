import { writePath } from './list/write-path.ts';
import type { Mutant } from './mutant.ts';

/** Every defect that a test must notice. */
export const mutants: readonly Mutant[] = [...writePath];
