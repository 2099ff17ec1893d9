import { describe, expect, it } from 'vitest';
import { telcoConnector } from '#src/connectors/telco/connector.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { OutgoingRequest } from '#src/outgoing/client.ts';
import { accountSid, authToken, credential, telcoConfig } from './platform.ts';

const answered = (status: number, body: string): OutgoingResult => ({
  ...{ kind: 'answered', status, headers: {}, body },
  ...{ truncated: false, durationMs: 1 },
});

/** What the platform is called with when it answers so. */
function answering(result: OutgoingResult) {
  const calls: OutgoingRequest[] = [];
  const send = async (request: OutgoingRequest) => {
    calls.push(request);
    return result;
  };
  return { calls, tools: { http: { send }, now: () => 0 } };
}

const [smsForm, chatForm] = telcoConnector.accounts;
const active = answered(200, JSON.stringify({ sid: accountSid, status: 'active' }));

async function connect(form: typeof smsForm, result = active) {
  const { calls, tools } = answering(result);
  const outcome = await form!.connect({ phone_number: '+4930123456' }, { ...tools, config: telcoConfig() });
  return { outcome, calls };
}

describe('connecting a number', () => {
  it('asks for the account, once', async () => {
    const { outcome, calls } = await connect(smsForm);
    expect(outcome).toEqual({ kind: 'linked', sourceChannelId: '+4930123456', token: null });
    const url = `https://platform.example/2010-04-01/Accounts/${accountSid}.json`;
    expect(calls).toEqual([{ method: 'GET', url, headers: { Authorization: credential } }]);
  });

  it('names a chat number with its prefix', async () => {
    expect([smsForm?.source, chatForm?.source]).toEqual(['telco.sms', 'telco.cloudmsg']);
    expect((await connect(chatForm)).outcome).toMatchObject({ sourceChannelId: 'cloudmsg:+4930123456' });
  });

  it.each<[what: string, OutgoingResult, outcome: object]>([
    [
      'a wrong token',
      answered(401, '{"code":20003,"message":"Authenticate"}'),
      { kind: 'rejected', error: 'Authenticate (20003)' },
    ],
    ['no such account', answered(404, '{}'), { kind: 'rejected', error: 'The source answered with status 404.' }],
    [
      'a suspended account',
      answered(200, '{"status":"suspended"}'),
      { kind: 'rejected', error: 'The account at the telephony provider is suspended.' },
    ],
    [
      'no account',
      answered(200, '<html>'),
      { kind: 'rejected', error: 'The telephony provider answered with no account.' },
    ],
    ['a wait', answered(429, ''), { kind: 'unreachable', error: 'The source answered with status 429.' }],
    ['a fault', answered(500, ''), { kind: 'unreachable', error: 'The source answered with status 500.' }],
    [
      'nobody',
      { kind: 'failed', reason: 'connection', durationMs: 1 },
      { kind: 'unreachable', error: 'The source could not be reached (connection).' },
    ],
  ])('fails with %s', async (_, result, outcome) => {
    expect((await connect(smsForm, result)).outcome).toEqual(outcome);
  });

  it.each(['+4930123456', '+12345', '12345', '123456', '+123456789012345'])('takes the number %s', (phone_number) => {
    expect(smsForm!.request.safeParse({ phone_number }).success).toBe(true);
  });

  it.each([
    '',
    '+49 30 123456',
    '4930123456',
    '+0123456',
    'ann',
    'cloudmsg:+4930123456',
    '+49-30-123456',
    ' +4930123456',
  ])('refuses the number “%s”', (phone_number) => {
    expect(smsForm!.request.safeParse({ phone_number }).success).toBe(false);
  });
});

describe('the check of an account', () => {
  it.each<[OutgoingResult, problem: string | null]>([
    [active, null],
    [answered(200, '{"status":"closed"}'), 'The account at the telephony provider is closed.'],
    [answered(401, `{"message":"${authToken} is wrong"}`), '[redacted] is wrong'],
    [{ kind: 'failed', reason: 'timeout', durationMs: 1 }, 'The source could not be reached (timeout).'],
  ])('says what is wrong', async (result, problem) => {
    const { calls, tools } = answering(result);
    expect(await telcoConnector(telcoConfig())?.checker?.check(tools)).toBe(problem);
    expect(calls).toHaveLength(1);
  });
});

describe('the connector', () => {
  it('is not there without its configuration', () => {
    const config = telcoConfig();
    expect(telcoConnector({ ...config, components: { sources: {} } })).toBeNull();
  });

  it.each([
    ['+49 170 1234567', '+491701234567'],
    ['+49 (170) 123-45/67', '+491701234567'],
    ['+49 (0)170 1234567', '+491701234567'],
    ['0049.170.1234567', '+491701234567'],
    ['\t+491701234567\n', '+491701234567'],
    ['12345', '12345'],
    ['ACME', 'ACME'],
    ['whatsapp:+491701234567', '+491701234567'],
    ['cloudmsg:+49 170 1234567', '+491701234567'],
  ])('finds the number in “%s”', (recipient, number) => {
    const { starter } = telcoConnector(telcoConfig())!;
    expect(starter?.conversationWith(recipient, 'telco.sms')).toBe(number);
    expect(starter?.conversationWith(recipient, 'telco.cloudmsg')).toBe(`cloudmsg:${number}`);
  });

  it('finds a chat number without its plus', () => {
    const { starter } = telcoConnector(telcoConfig())!;
    expect(starter?.conversationWith('49 170 1234567', 'telco.cloudmsg')).toBe('cloudmsg:+491701234567');
    expect(starter?.conversationWith('0170 1234567', 'telco.cloudmsg')).toBe('cloudmsg:01701234567');
    expect(starter?.conversationWith('415 5551234', 'telco.sms')).toBe('4155551234');
  });

  it('has a window for chat alone, which templates pass', () => {
    const { windows } = telcoConnector(telcoConfig())!;
    expect(Object.keys(windows ?? {})).toEqual(['telco.cloudmsg']);
    const chat = windows!['telco.cloudmsg']!;
    expect(chat.length).toBe(86_400_000);
    const contents = [{ ContentSid: 'HX1' }, { text: 'a' }, { ContentSid: null }, 'HX1', null, ['ContentSid']];
    expect(contents.map((content) => chat.takesLater(content))).toEqual([true, false, false, false, false, false]);
  });
});

describe('files of a message', () => {
  const { media } = telcoConnector(telcoConfig())!;
  const at = 'https://platform.example/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1';
  const conversation = { sourceConversationId: '+49', channel: {} as never, token: null };
  const open = (link: string) => media!.open({ name: '0', at: link }, conversation, answering(active).tools);

  it('are found by their addresses', () => {
    expect(media!.locate({ NumMedia: '2', MediaUrl0: at, MediaContentType0: 'image/png', MediaUrl10: at })).toEqual([
      { name: '0', at },
      { name: '10', at },
    ]);
    for (const odd of [null, 'a', 7, [], {}, { MediaUrl0: 'no address' }, { MediaUrl0: 1 }, { MediaUrl: at }]) {
      expect(media!.locate(odd)).toEqual([]);
    }
  });

  it('are opened with the credential of the account', async () => {
    expect(await open(at)).toEqual({ url: at, headers: { Authorization: credential } });
  });

  it.each([
    'https://other.example/a',
    'http://platform.example/a',
    'https://platform.example.evil.example/a',
    'https://platform.example:8443/a',
  ])('show %s no credential', async (link) => {
    expect(await open(link)).toEqual({ url: link, headers: {} });
  });
});
