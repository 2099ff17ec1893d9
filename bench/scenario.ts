/** How long and how large the measurements are. */
export interface Scale {
  /** Rounds of A B A B …, of which the medians count. */
  rounds: number;
  /** Counted time of one load, and the time before it, in s. */
  seconds: number;
  warmUp: number;
  /** Divides the numbers of stored messages and conversations; 1 but for a quick run. */
  shrink: number;
}

export const fullScale: Scale = { rounds: 3, seconds: 8, warmUp: 3, shrink: 1 };
/** Says whether everything runs, and roughly where the figures are. */
export const quickScale: Scale = { rounds: 1, seconds: 3, warmUp: 1, shrink: 10 };

/** What a figure is meant to reach, in the figure's own unit or as the ratio of measured to baseline. */
export interface Aim {
  of: 'ratio' | 'measured';
  least?: number;
  most?: number;
}

/** One line of the result. */
export interface Figure {
  what: string;
  unit: string;
  measured: number;
  /** What it is compared with, and that one's value in the same unit. */
  baseline?: { what: string; value: number };
  aim?: Aim;
}

export interface Scenario {
  name: string;
  /** `say` prints a line of progress. */
  run(scale: Scale, say: (line: string) => void): Promise<Figure[]>;
}

/** Measured divided by the baseline; null without a baseline. */
export const ratioOf = ({ measured, baseline }: Figure): number | null =>
  baseline === undefined ? null : measured / baseline.value;

/** Null: there is nothing to reach. */
export function isMet(figure: Figure): boolean | null {
  const { aim } = figure;
  const value = aim?.of === 'ratio' ? ratioOf(figure) : figure.measured;
  if (aim === undefined || value === null) return null;
  return value >= (aim.least ?? Number.NEGATIVE_INFINITY) && value <= (aim.most ?? Number.POSITIVE_INFINITY);
}
