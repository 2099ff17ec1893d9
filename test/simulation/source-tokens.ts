import type { Services } from '#src/services.ts';

/** Tokens that are made and verified at once: a real one takes time that no seed knows. */
export const sourceTokens: Services['tokens'] = {
  make: ({ sourceId, issuedAt }) => Promise.resolve(`source-${issuedAt}-${sourceId}`),
  verify(token) {
    const [, issuedAt, sourceId] = /^source-(\d+)-(.+)$/.exec(token) ?? [];
    return Promise.resolve(sourceId === undefined ? null : { sourceId, issuedAt: Number(issuedAt) });
  },
};
