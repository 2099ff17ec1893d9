/** The value below which the share `share` (0 to 1) of an ascending list lies; 0 for an empty one. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** The middle of the values; the mean of the two middle ones when their number is even. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return Number.isInteger(half) ? (sorted[half - 1]! + sorted[half]!) / 2 : sorted[Math.floor(half)]!;
}

/** One side of a comparison. */
export type Measure = () => Promise<number>;

/**
 * Measures several sides in turn (A B A B …), so that noise of the machine hits all of them.
 * @returns the median of each side
 */
export async function alternate(rounds: number, sides: readonly Measure[]): Promise<number[]> {
  const values: number[][] = sides.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, measure] of sides.entries()) values[i]!.push(await measure());
  }
  return values.map(median);
}
