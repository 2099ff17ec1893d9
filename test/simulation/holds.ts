/**
 * What the simulation can expect of the hub. Each stands for a promise; one that is false is not asked for by any run,
 * and is switched on with the change that keeps it.
 */
export const holds = {
  /** Whoever comes from before the oldest event that is kept is told so: `cursor_expired`, or a gap that is counted. */
  gapsAreTold: false,
  /** `verify` finds nothing wrong with the steps of a delivery whose row and first steps are forgotten. */
  goneDeliveriesVerify: false,
};
