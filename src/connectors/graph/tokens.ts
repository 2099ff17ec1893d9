import type { PlatformApp } from '#src/config/config.ts';
import type { CallTools } from '../calls.ts';
import { ask } from './calls.ts';
import { textOf } from './fields.ts';

/** What came of an exchange. */
export type Exchange =
  | { kind: 'exchanged'; token: string }
  | { kind: 'rejected'; error: string }
  | { kind: 'unreachable'; error: string };

/** Exchanges a token that somebody got for one that lasts. Does not reject. */
export async function exchange(app: PlatformApp, token: string, tools: CallTools): Promise<Exchange> {
  const answer = await ask(
    app,
    null,
    {
      method: 'GET',
      path: ['oauth', 'access_token'],
      query: {
        ...{ grant_type: 'fb_exchange_token', client_id: app.appId, client_secret: app.appSecret.reveal() },
        fb_exchange_token: token,
      },
    },
    tools,
    [token],
  );
  if (answer.kind !== 'answered') return answer;
  const lasting = textOf(answer.said['access_token']);
  return lasting === null
    ? { kind: 'rejected', error: 'The platform gave no token in exchange.' }
    : { kind: 'exchanged', token: lasting };
}
