import type { Runtime } from '../runtime/kind.ts';
import type { SourceReads } from './reads.ts';
import type { SourceRow } from './tables.ts';

export type SourceRuntime = Runtime<SourceRow, null, SourceReads, null>;
