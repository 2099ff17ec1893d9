import { z } from 'zod';
import { accountForm, type AccountForm, type AccountParts, type LinkOutcome } from '../accounts.ts';
import type { CallOutcome, CallTools } from '../calls.ts';
import { objectIn, outcomeOf } from '../outcome.ts';
import { idOf, type TelcoSource } from './addresses.ts';
import { readingOf } from './delivery.ts';
import { accountUrl, credential, type Telco } from './platform.ts';

const phoneNumber = z
  .string()
  .regex(/^(?:\+[1-9]\d{4,14}|\d{3,8})$/, 'must be a number with + and country code, without spaces, or a short code')
  .describe('As the telephony provider lists it: with country code, without spaces.');

/**
 * The number of an account. Where the platform calls for it is set at the platform, once for each number, and stays: there
 * is nothing to ask it for when a channel is disconnected.
 */
const formOf = (source: TelcoSource): AccountForm =>
  accountForm({
    source,
    component: 'telco',
    request: z.object({ phone_number: phoneNumber }),
    example: { phone_number: '+4930123456' },
    connect: ({ phone_number }, parts) => connect(idOf(phone_number, source), parts),
  });

export const accounts: readonly AccountForm[] = [formOf('telco.sms'), formOf('telco.cloudmsg')];

async function connect(sourceChannelId: string, { config, ...tools }: AccountParts): Promise<LinkOutcome> {
  const outcome = await askForAccount(config.components.sources.telco!, tools);
  if (outcome.kind === 'succeeded') return { kind: 'linked', sourceChannelId, token: null };
  return { kind: outcome.kind === 'rejected' ? 'rejected' : 'unreachable', error: outcome.error };
}

/** Whether the account is the hub's, and may send: one call that changes nothing. */
export async function askForAccount(telco: Telco, { http, now }: CallTools): Promise<CallOutcome> {
  const result = await http.send({
    method: 'GET',
    url: accountUrl(telco),
    headers: { Authorization: credential(telco) },
  });
  return outcomeOf(result, now(), { ...readingOf(telco), accepted });
}

function accepted(body: string): CallOutcome {
  const { status } = objectIn(body);
  if (status === 'active') return { kind: 'succeeded', sourceMessageId: null, metadata: {} };
  const error =
    status === 'suspended' || status === 'closed'
      ? `The account at the telephony provider is ${status}.`
      : 'The telephony provider answered with no account.';
  return { kind: 'rejected', error };
}
