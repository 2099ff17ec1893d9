/** Whether a cache has it: `If-None-Match` may name several tags, and a cache that compresses makes weak ones of ours. */
export const isKnown = (given: string | undefined, tag: string): boolean =>
  (given ?? '').split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')));
