import type { AccountParts, LinkOutcome } from '../accounts.ts';
import { ask } from '../graph/calls.ts';
import { idOf, objectOf, textOf, webAddressOf } from '../graph/fields.ts';
import { exchange } from '../graph/tokens.ts';

/** What the platform is asked to send of a page. */
const subscribedFields = [
  ...['messages', 'messaging_postbacks', 'messaging_optins', 'messaging_referrals', 'messaging_handovers'],
  ...['message_deliveries', 'message_reads', 'message_echoes', 'message_reactions', 'message_edits', 'standby'],
].join();

/** A page that sends to the hub, with the token that writes as it. */
export interface LinkedPage {
  kind: 'linked';
  id: string;
  token: string;
  imageUrl: string | null;
}

/** Exchanges the token, reads the page with its own one, and has it send. Does not reject. */
export async function linkPage(
  pageId: string,
  givenToken: string,
  parts: AccountParts,
): Promise<LinkedPage | Exclude<LinkOutcome, { kind: 'linked' }>> {
  const app = parts.config.components.sources.pageplatform!;
  const exchanged = await exchange(app, givenToken, parts);
  if (exchanged.kind !== 'exchanged') return exchanged;
  const fields = { fields: 'id,name,access_token,picture' };
  const page = await ask(app, exchanged.token, { method: 'GET', path: [pageId], query: fields }, parts, [givenToken]);
  if (page.kind !== 'answered') return page;
  // A page may be asked for by its name; what it sends has its id.
  const id = idOf(page.said['id']) ?? pageId;
  const token = textOf(page.said['access_token']) ?? exchanged.token;
  const query = { subscribed_fields: subscribedFields };
  const tokens = [givenToken, exchanged.token];
  const subscribed = await ask(app, token, { path: [id, 'subscribed_apps'], query }, parts, tokens);
  return subscribed.kind === 'answered' ? { kind: 'linked', id, token, imageUrl: pictureOf(page.said) } : subscribed;
}

/** Has a page send no more, as far as the platform lets it. Does not reject. */
export async function unlinkPage(pageId: string, token: string | null, parts: AccountParts): Promise<void> {
  if (token === null) return;
  const app = parts.config.components.sources.pageplatform!;
  await ask(app, token, { method: 'DELETE', path: [pageId, 'subscribed_apps'] }, parts);
}

/** Null: a page shows none. */
export const pictureOf = (page: Record<string, unknown>): string | null =>
  webAddressOf(objectOf(objectOf(page['picture'])['data'])['url']);
