import type { Config } from '#src/config/config.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { CallTools } from '../calls.ts';
import { type AccessTokens, accessTokens, type Ungranted } from './access-tokens.ts';

/** What the hub is at the platform. */
export type BizMaps = NonNullable<Config['components']['sources']['bizmaps']>;

/** Total time of a call, in ms. */
const callTimeout = 6_000;

/** A call about a conversation, by a path below it. */
export interface ConversationCall {
  method?: 'POST' | 'PATCH';
  conversation: string;
  path: `/${string}`;
  body: object;
}

/** The platform's API, called with the tokens of the service account. */
export interface BizMapsApi {
  readonly tokens: AccessTokens;
  /** What came of a call; without a token none is made. */
  call(call: ConversationCall, tools: CallTools): Promise<OutgoingResult | Ungranted>;
}

export function bizMapsApi({ apiBase, saFile }: BizMaps): BizMapsApi {
  const tokens = accessTokens(saFile.reveal());
  return {
    tokens,
    async call({ method = 'POST', conversation, path, body }, tools) {
      const grant = await tokens.current(tools);
      if (grant.kind !== 'granted') return grant;
      const result = await tools.http.send({
        method,
        url: `${apiBase.replace(/\/$/, '')}/v1/conversations/${encodeURIComponent(conversation)}${path}`,
        headers: { Authorization: `Bearer ${grant.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        timeoutMs: callTimeout,
      });
      if (result.kind === 'answered' && result.status === 401) tokens.forget(grant.token);
      return result;
    },
  };
}

/** Whether a call was made, whatever came of it. */
export const isResult = (made: OutgoingResult | Ungranted): made is OutgoingResult =>
  made.kind === 'answered' || made.kind === 'failed' || made.kind === 'refused';
