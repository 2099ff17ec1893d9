import { describe, expect, it } from 'vitest';
import type { CallOutcome } from '#src/connectors/calls.ts';
import type { Connector, Delivery } from '#src/connectors/connector.ts';
import { createConnectors } from '#src/connectors/registry.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { OutgoingRequest } from '#src/outgoing/client.ts';
import { testConfig } from '../_support/config.ts';
import { parsing, verifying } from './conformance-routes.ts';
import { type Check, oddBodies, type SourceSpecimen, type Specimen } from './specimen.ts';
import { impossibleIn } from './spoilt.ts';

const now = Date.UTC(2026, 0, 1);
const longestError = 1_000;

const answered = (status: number, body: string, headers: Record<string, string> = {}): OutgoingResult => ({
  ...{ kind: 'answered', status, headers, body },
  ...{ truncated: false, durationMs: 1 },
});

/** Every connector passes these: its test is one call. One that calls nobody says nothing of answers. */
export function conformance(name: string, specimen: Specimen | SourceSpecimen): void {
  describe(`the connector ${name}`, () => {
    it('has the name of its folder', () => {
      expect(specimen.factory().name).toBe(name);
    });
    it('calls its source, or says that nobody is called', () => {
      expect(specimen.factory().deliver === 'collected').toBe(!isOfCalls(specimen));
    });
    const titled = <S extends SourceSpecimen>(all: readonly Check<S>[]) =>
      all.map((check) => [check.title, check] as const);
    it.each(titled(checksOfAll))('%s', async (_, { run }) => run(specimen.factory(), specimen));
    if (!isOfCalls(specimen)) return;
    it.each(titled(delivering))('%s', async (_, { run }) => run(specimen.factory(), specimen));
  });
}

const isOfCalls = (specimen: Specimen | SourceSpecimen): specimen is Specimen => 'accepted' in specimen;

/** What a delivery to a source that answers so comes to, and the calls that it made. */
async function deliver(
  connector: Connector,
  { channel, registered, token, content, letIn }: Specimen,
  result: OutgoingResult,
) {
  if (letIn) {
    const http = { send: async () => answered(letIn.status, letIn.body) };
    expect(await connector.checker?.check({ http, now: () => now })).toBeNull();
  }
  const calls: OutgoingRequest[] = [];
  const delivery: Delivery = {
    message: { id: '018f0000-0000-7000-8000-000000000001', content, sentAt: now },
    conversation: {
      id: '018f0000-0000-5000-8000-000000000002',
      sourceConversationId: 'ann',
      createdAt: '2026-01-01T00:00:00.000Z',
    },
    ...{ channel, registered, token, knownToSource: true },
  };
  const before = JSON.stringify(delivery);
  const send = async (request: OutgoingRequest): Promise<OutgoingResult> => {
    calls.push(request);
    return result;
  };
  if (connector.deliver === 'collected') throw new Error('It calls nobody.');
  const outcome = await connector.deliver(delivery, { http: { send }, now: () => now });
  expect(JSON.stringify(delivery)).toBe(before);
  return { outcome, calls };
}

/** Answers, each with the kind of outcome that it means to every source. */
const meanings: [kind: CallOutcome['kind'], results: OutgoingResult[]][] = [
  [
    'unreachable',
    [
      ...(['connection', 'timeout', 'unresolved', 'tls', 'answer_invalid'] as const).map(
        (reason): OutgoingResult => ({ kind: 'failed', reason, durationMs: 1 }),
      ),
      ...[500, 502, 503, 504].map((status) => answered(status, 'oops')),
    ],
  ],
  [
    'rejected',
    [
      ...(['address_not_allowed', 'bad_url', 'bad_headers'] as const).map(
        (reason): OutgoingResult => ({ kind: 'refused', reason }),
      ),
      ...[301, 400, 401, 404, 410, 422].map((status) => answered(status, 'oops')),
    ],
  ],
];

/** Answers that ask to wait, each with the wait in ms. */
const waits: [status: number, headers: Record<string, string>, retryAfter: number][] = [
  [429, { 'retry-after': '7' }, 7_000],
  [500, { 'retry-after': '7' }, 7_000],
  [503, { 'retry-after': '7' }, 7_000],
  [429, { 'retry-after': new Date(now + 9_000).toUTCString() }, 9_000],
  [429, { 'retry-after': '3600' }, 3_600_000],
  [429, { 'retry-after': '0' }, 1_000],
  [429, {}, 5_000],
];

const delivering: Check<Specimen>[] = [
  {
    title: 'makes one call, to a URL, with the content as it is',
    async run(connector, specimen) {
      const { accepted, onTheWire } = specimen;
      const { calls } = await deliver(connector, specimen, answered(accepted.status, accepted.body));
      expect(calls).toHaveLength(1);
      expect(URL.canParse(calls[0]!.url)).toBe(true);
      expect(calls[0]!.timeoutMs ?? 0).toBeLessThanOrEqual(10_000);
      expect(String(calls[0]!.body)).toContain(onTheWire);
    },
  },
  {
    title: 'makes one call however it is answered',
    async run(connector, specimen) {
      for (const result of meanings.flatMap(([, results]) => results)) {
        expect((await deliver(connector, specimen, result)).calls, JSON.stringify(result)).toHaveLength(1);
      }
    },
  },
  {
    title: 'knows the source’s id of what was accepted',
    async run(connector, specimen) {
      const { status, body, sourceMessageId } = specimen.accepted;
      const { outcome } = await deliver(connector, specimen, answered(status, body));
      expect(outcome).toMatchObject({ kind: 'succeeded', sourceMessageId });
    },
  },
  {
    title: 'gives the words of the source for a refusal',
    async run(connector, specimen) {
      const { status, body, error } = specimen.refused;
      const { outcome } = await deliver(connector, specimen, answered(status, body));
      expect(outcome).toEqual({ kind: 'rejected', error });
    },
  },
  {
    title: 'waits as long as a source says',
    async run(connector, specimen) {
      for (const [status, headers, retryAfter] of waits) {
        const { outcome } = await deliver(connector, specimen, answered(status, '', headers));
        expect(outcome, JSON.stringify(headers)).toMatchObject({ kind: 'throttled', retryAfter });
      }
    },
  },
  {
    title: 'tells a source that is out of reach from one that refuses',
    async run(connector, specimen) {
      for (const [kind, results] of meanings) {
        for (const result of results) {
          expect((await deliver(connector, specimen, result)).outcome.kind, JSON.stringify(result)).toBe(kind);
        }
      }
    },
  },
  {
    title: 'takes any answer, and never tells a secret',
    async run(connector, specimen) {
      const bodies = [...oddBodies, specimen.accepted.body, specimen.refused.body, 'x'.repeat(70_000)];
      for (const [status, body] of [200, 204, 302, 400, 429, 500].flatMap((code) =>
        bodies.map((text) => [code, text] as const),
      )) {
        const { outcome } = await deliver(connector, specimen, answered(status, body));
        const error = 'error' in outcome ? outcome.error : 'none';
        expect(error.length, error).toBeLessThanOrEqual(longestError);
        expect(error.trim()).not.toBe('');
        for (const secret of specimen.secrets) expect(JSON.stringify(outcome)).not.toContain(secret);
      }
    },
  },
];

const reading: Check[] = [
  {
    title: 'reads what came in, twice alike',
    run(_, { readings }) {
      for (const { title, read, inbound } of readings) {
        expect(read(), title).toEqual(inbound);
        expect(read(), title).toEqual(inbound);
      }
    },
  },
  {
    title: 'gives items of its own sources, with possible ids and times',
    run({ sources }, { readings }) {
      const inbound = readings.flatMap(({ read }) => read() ?? []);
      expect(inbound.length).toBeGreaterThan(0);
      expect(inbound.flatMap(impossibleIn)).toEqual([]);
      for (const { source, messages } of inbound) {
        if (sources !== 'registered') expect(sources).toContain(source);
        for (const { content } of messages) {
          expect(JSON.parse(JSON.stringify(content))).toEqual(content);
        }
      }
    },
  },
];

const others: Check[] = [
  {
    title: 'is found for its channels, and for no others',
    run(connector, { channel }) {
      const { of } = createConnectors(testConfig(), [() => connector]);
      expect(of(channel)).toBe(connector);
      expect(of({ source: 'somebody-else' })).toBeNull();
      const registered = channel.source_id !== undefined;
      expect(of(registered ? { source: channel.source } : { ...channel, source_id: channel.source })).toBeNull();
    },
  },
  {
    title: 'calls a conversation that it starts always the same',
    run({ starter }, { channel: { source } }) {
      for (const recipient of ['ann', '+49 30 1234', 'a@b', '\u00e4']) {
        const once = starter?.conversationWith(recipient, source);
        expect(once).not.toBe('');
        if (once !== undefined) expect(starter?.conversationWith(once, source)).toBe(once);
      }
    },
  },
  {
    title: 'says in a sentence whether it is let in, without a secret',
    async run({ checker }, { secrets }) {
      const bodies = [...oddBodies, ...secrets];
      const answers = [200, 401, 403, 500].flatMap((status) => bodies.map((body) => answered(status, body)));
      for (const result of [...answers, ...meanings.flatMap(([, results]) => results)]) {
        const calls: OutgoingRequest[] = [];
        const send = async (request: OutgoingRequest): Promise<OutgoingResult> => {
          calls.push(request);
          return result;
        };
        const problem = await checker?.check({ http: { send }, now: () => now });
        expect(problem === undefined || calls.length === 1, JSON.stringify(result)).toBe(true);
        expect(problem?.trim()).not.toBe('');
        for (const secret of secrets) expect(problem ?? '').not.toContain(secret);
      }
    },
  },
];

const checksOfAll: readonly Check[] = [...others, ...reading, ...verifying, ...parsing];

/** Those of a connector that calls its source. */
export const checks: readonly Check<Specimen>[] = [...delivering, ...checksOfAll];
