import { describe, expect, it } from 'vitest';
import type { AccountForm } from '#src/connectors/accounts.ts';
import { cloudmsgConnector } from '#src/connectors/cloudmsg/connector.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import { answered, appSecret, calling, configured, outOfReach, refusal, seen } from '../graph/platform.ts';
import { number } from './cases.ts';

const [form] = cloudmsgConnector.accounts as [AccountForm];
const given = 'EAAGgivenByTheUser000';
const lasting = 'EAAGlastingUserToken0';
const exchanged = answered(200, { access_token: lasting });
const found = answered(200, { id: number, display_phone_number: '+1 555-078-3881', verified_name: 'Shop' });
const exchanging = `/oauth/access_token?grant_type=fb_exchange_token&client_id=app-1&client_secret=${appSecret}&fb_exchange_token=${given}`;
const reading = `/${number}?fields=id%2Cdisplay_phone_number%2Cverified_name`;

async function connect(...answers: OutgoingResult[]) {
  const { calls, tools } = calling(...answers);
  const outcome = await form.connect(
    { phone_number_id: number, user_token: given },
    { ...tools, config: configured() },
  );
  return { calls, outcome };
}

describe('a number', () => {
  it('is what the form asks for', () => {
    expect([form.source, form.component, form.disconnect]).toEqual(['cloudmsg', 'cloudmsg', undefined]);
    expect(form.request.safeParse(form.example).success).toBe(true);
    expect(form.request.safeParse({ phone_number_id: '', user_token: '' }).error?.issues).toHaveLength(2);
  });

  it('is connected where the token may see it', async () => {
    const { calls, outcome } = await connect(exchanged, found);
    expect(outcome).toEqual({
      ...{ kind: 'linked', sourceChannelId: number, token: lasting },
      metadata: { phone_number: '+1 555-078-3881', verified_name: 'Shop' },
    });
    expect(calls.map(seen)).toEqual([
      ['GET', exchanging, null],
      ['GET', reading, null],
    ]);
    expect(calls[1]!.headers).toEqual({ Authorization: `Bearer ${lasting}` });
  });

  it('is connected with a token that is exchanged for none', async () => {
    const { calls, outcome } = await connect(refusal(1, 'System users'), answered(200, { id: number }));
    expect(outcome).toEqual({ kind: 'linked', sourceChannelId: number, token: given, metadata: {} });
    expect(calls[1]!.headers).toEqual({ Authorization: `Bearer ${given}` });
  });

  it.each<[string, OutgoingResult[], object]>([
    ['an exchange out of reach', [outOfReach], { kind: 'unreachable' }],
    [
      'a token that is none',
      [refusal(190, 'Bad'), refusal(190, `Malformed access token ${given}`)],
      { kind: 'rejected', error: 'Malformed access token [redacted]' },
    ],
    ['an unknown number', [exchanged, refusal(100, 'No such object')], { kind: 'rejected', error: 'No such object' }],
    ['a number out of reach', [exchanged, answered(502, '')], { kind: 'unreachable' }],
  ])('is not connected: %s', async (_, answers, outcome) => {
    const made = await connect(...answers);
    expect(made.outcome).toMatchObject(outcome);
    expect(made.calls).toHaveLength(answers.length);
  });
});
