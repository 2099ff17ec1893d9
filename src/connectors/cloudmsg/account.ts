import { z } from 'zod';
import { foreignId } from '#src/ingest/fields.ts';
import { accountForm } from '../accounts.ts';
import { ask } from '../graph/calls.ts';
import { idOf, textOf } from '../graph/fields.ts';
import { exchange } from '../graph/tokens.ts';

/**
 * Numbers: connected by their id, with a token of a user who may write from them. What they send is set up with the app,
 * for all numbers of a business, so that there is nothing to ask for, or to end, for one of them.
 */
export const numberAccounts = accountForm({
  source: 'cloudmsg',
  component: 'cloudmsg',
  request: z.object({
    phone_number_id: foreignId.describe('Id of the number at the platform.'),
    user_token: z.string().min(1).describe('A token of a user. It is exchanged for one that lasts, where that can be.'),
  }),
  example: { phone_number_id: '106540352242922', user_token: 'EAAG' },
  async connect({ phone_number_id, user_token }, parts) {
    const app = parts.config.components.sources.cloudmsg!;
    const exchanged = await exchange(app, user_token, parts);
    if (exchanged.kind === 'unreachable') return exchanged;
    // A token of a system user lasts already: the platform exchanges none of those.
    const token = exchanged.kind === 'exchanged' ? exchanged.token : user_token;
    const query = { fields: 'id,display_phone_number,verified_name' };
    const answer = await ask(app, token, { method: 'GET', path: [phone_number_id], query }, parts, [user_token]);
    if (answer.kind !== 'answered') return answer;
    const [number, name] = [answer.said['display_phone_number'], answer.said['verified_name']].map(textOf);
    return {
      kind: 'linked',
      sourceChannelId: idOf(answer.said['id']) ?? phone_number_id,
      token,
      metadata: { ...(number && { phone_number: number }), ...(name && { verified_name: name }) },
    };
  },
});
