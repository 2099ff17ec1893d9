import { z } from 'zod';
import { foreignId } from '#src/ingest/fields.ts';
import { accountForm } from '../accounts.ts';
import { idOf } from '../graph/fields.ts';
import { linkPage, unlinkPage } from './page.ts';

/** Accounts for photos: they send through the page that they are linked to, and write with its token. */
export const photoAccounts = accountForm({
  source: 'photoplatform',
  component: 'pageplatform',
  request: z.object({
    page_id: foreignId.describe('Id of the page that the account is linked to.'),
    page_token: z.string().min(1).describe('A token of that page. It is exchanged for one that lasts.'),
    account_id: foreignId.describe('Id of the account: the source_channel_id of its channel.'),
  }),
  example: { page_id: '108042', page_token: 'EAAG', account_id: '178414' },
  async connect({ page_id, page_token, account_id }, parts) {
    const page = await linkPage(page_id, page_token, parts);
    if (page.kind !== 'linked') return page;
    const { id, token, imageUrl } = page;
    const metadata = { page_id: id };
    return { kind: 'linked', sourceChannelId: account_id, token, metadata, ...(imageUrl !== null && { imageUrl }) };
  },
  async disconnect({ channel, token }, parts) {
    const pageId = idOf(channel.metadata['page_id']);
    if (pageId !== null) await unlinkPage(pageId, token, parts);
  },
});
