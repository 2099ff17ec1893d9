import type { Services } from '#src/services.ts';
import type { VisitTokenUse } from '#src/security/visitor-token.ts';

const hour = 3_600_000;

/**
 * Tokens of visitors that are made and verified at once: real ones take time that no seed knows. Resume tokens are good
 * for ever: a visitor who stays away for a week leaves Messages that nobody comes for.
 */
export const visitorTokens = (now: () => number): Services['visitorTokens'] => ({
  make(use, { conversationId, channelId, contact }) {
    const until = use === 'visit' ? now() + hour : Number.MAX_SAFE_INTEGER;
    return Promise.resolve(`${use} ${until} ${conversationId} ${channelId} ${contact}`);
  },
  verify: (use, token) => Promise.resolve(claimsOf(use, token, now())),
});

function claimsOf(use: VisitTokenUse, token: string, now: number) {
  const [madeFor, until, conversationId, channelId, contact] = token.split(' ');
  if (madeFor !== use || contact === undefined || Number(until) <= now) return null;
  return { conversationId: conversationId!, channelId: channelId!, contact, until: Number(until) };
}

/** The conversation that a resume token is of. */
export const conversationIn = (resumeToken: string): string => resumeToken.split(' ')[2]!;
