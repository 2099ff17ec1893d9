import type { Cancel } from '#actors/ports.ts';

/** The shards whose effects are carried out here: those that the node owns. */
export interface OwnedShards {
  has(shard: number): boolean;
  /** Calls `run` after shards were taken or given away. */
  onChange(run: () => void): Cancel;
}

/** Of a node that owns all there are, for good. */
export const everyShard: OwnedShards = { has: () => true, onChange: () => () => {} };
