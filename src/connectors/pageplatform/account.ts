import { z } from 'zod';
import { foreignId } from '#src/ingest/fields.ts';
import { accountForm, type AccountParts, type ExploreOutcome, type FoundAccount } from '../accounts.ts';
import { ask } from '../graph/calls.ts';
import { idOf, listOf, objectOf, textOf, webAddressOf } from '../graph/fields.ts';
import { linkPage, pictureOf, unlinkPage } from './page.ts';

/** Pages that are asked for at once; calls for one answer at most. */
const pageSize = '100';
const mostCalls = 50;

/** Pages: connected by their id, with a token of somebody who may write as them. */
export const pageAccounts = accountForm({
  source: 'pageplatform',
  component: 'pageplatform',
  request: z.object({
    page_id: foreignId.describe('Id of the page.'),
    page_token: z.string().min(1).describe('A token of the page. It is exchanged for one that lasts.'),
  }),
  example: { page_id: '108042', page_token: 'EAAG' },
  async connect({ page_id, page_token }, parts) {
    const page = await linkPage(page_id, page_token, parts);
    if (page.kind !== 'linked') return page;
    const { id, token, imageUrl } = page;
    return { kind: 'linked', sourceChannelId: id, token, ...(imageUrl !== null && { imageUrl }) };
  },
  disconnect: ({ channel, token }, parts) => unlinkPage(channel.source_channel_id, token, parts),
  explore: { id: 'page_id', find },
});

/** Goes from page to page of the answer. */
async function find(authToken: string, parts: AccountParts): Promise<ExploreOutcome> {
  const app = parts.config.components.sources.pageplatform!;
  const accounts: FoundAccount[] = [];
  let query: Record<string, string> | null = { fields: 'id,name,picture', limit: pageSize };
  for (let calls = 0; query !== null && calls < mostCalls; calls += 1) {
    const answer = await ask(app, authToken, { method: 'GET', path: ['me', 'accounts'], query }, parts);
    if (answer.kind !== 'answered') return answer;
    accounts.push(...accountsIn(answer.said));
    query = queryOfNext(answer.said);
  }
  return { kind: 'found', accounts };
}

const accountsIn = ({ data }: Record<string, unknown>): FoundAccount[] =>
  listOf(data).flatMap((one) => {
    const page = objectOf(one);
    const id = idOf(page['id']);
    return id === null ? [] : [{ id, name: textOf(page['name']) ?? id, imageUrl: pictureOf(page) }];
  });

/**
 * What is asked for with the next call; null: there is no more. Of the address that the platform names only the
 * question counts: a token goes nowhere else, and in no address.
 */
function queryOfNext({ paging }: Record<string, unknown>): Record<string, string> | null {
  const next = webAddressOf(objectOf(paging)['next']);
  if (next === null) return null;
  const { access_token: _, appsecret_proof: __, ...query } = Object.fromEntries(new URL(next).searchParams);
  return query;
}
