import type { RetentionPolicy } from '#actors/runtime/retention.ts';
import type { Config } from '#src/config/config.ts';

/** Periods that nobody configures, in ms (docs/api.md, "Source API"). */
const fixedPeriods = { parkedMetadata: 7 * 24 * 60 * 60 * 1_000 };

/** How long a hub keeps what it may forget. */
export const retentionPolicy = ({
  retention: { journal, deliveries },
}: Pick<Config, 'retention'>): RetentionPolicy => ({
  ...{ journal, deliveries },
  ...fixedPeriods,
});
