import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { BenchHub } from '../hub.ts';
import type { Figure, Scenario } from '../scenario.ts';
import { alternate, percentile } from '../statistics.ts';

const conversations = 100;
const sendsPerSecond = 100;
const mostRatio = 1.2;
const p99 = 0.99;
/** Sends to the source that hangs, before each measurement beside it: more than it may have under way. */
const stuckSends = 200;

interface Source {
  token: string;
  conversations: string[];
}

/** An action endpoint: `received` gets the id of every message; without `answers` it never says anything. */
async function endpoint(received: (id: string) => void, answers: boolean): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { payload } = JSON.parse(Buffer.concat(chunks).toString()) as { payload: { message: { id: string } } };
    received(payload.message.id);
    if (answers) response.setHeader('Content-Type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

async function register(hub: BenchHub, name: string, url: string): Promise<Source> {
  const { token } = await hub.call<{ token: string }>('sources.create', { source_id: name, action_endpoint: url });
  await hub.call('sources.channels.create', { source_channel_id: 'line', name }, token);
  const messages = Array.from({ length: conversations }, (_, n) => ({
    source_message_id: `first-${n}`,
    source_conversation_id: `contact-${n}`,
    source_channel_id: 'line',
    source_sender_id: `contact-${n}`,
    content: { text: 'hello' },
    from_contact: true,
    sent_at: Date.now(),
  }));
  type Stored = { messages: { conversation_id: string }[] };
  const stored = await hub.call<Stored>('sources.webhook', { messages }, token);
  return { token, conversations: stored.messages.map((message) => message.conversation_id) };
}

const send = (hub: BenchHub, conversation: string): Promise<{ id: string }> =>
  hub.call('messages.send', { conversation_id: conversation, message: { text: 'reply' } });

/** How long a send takes from its request to its source, while another source hangs and while it does not. */
export const hanging: Scenario = {
  name: 'hanging',
  async run({ rounds, seconds }, say) {
    await using hub = await BenchHub.start();
    const arrived = new Map<string, number>();
    const good = await endpoint((id) => arrived.set(id, performance.now()), true);
    const stuck = await endpoint(() => {}, false);
    const well = await register(hub, 'well', good.url);
    const hung = await register(hub, 'hung', stuck.url);

    const measure = async (): Promise<number> => {
      const begun = new Map<string, number>();
      const sends: Promise<void>[] = [];
      for (let n = 0; n < seconds * sendsPerSecond; n++) {
        const started = performance.now();
        const conversation = well.conversations[n % conversations]!;
        sends.push(send(hub, conversation).then(({ id }) => void begun.set(id, started)));
        await wait(1_000 / sendsPerSecond);
      }
      await Promise.all(sends);
      while ([...begun.keys()].some((id) => !arrived.has(id))) await wait(10);
      const times = [...begun].map(([id, started]) => arrived.get(id)! - started).sort((a, b) => a - b);
      return percentile(times, p99);
    };
    const beside = async (): Promise<number> => {
      for (let n = 0; n < stuckSends; n++) await send(hub, hung.conversations[n % conversations]!);
      return measure();
    };
    await measure();
    const [alone, disturbed] = (await alternate(rounds, [measure, beside])) as [number, number];
    say(`p99 ${alone.toFixed(1)} ms alone, ${disturbed.toFixed(1)} ms beside a source that hangs`);
    for (const { server } of [good, stuck]) {
      server.closeAllConnections();
      server.close();
    }
    return [
      {
        what: 'p99 of a send beside a source that hangs',
        unit: 'ms',
        measured: disturbed,
        baseline: { what: 'without it', value: alone },
        aim: { of: 'ratio', most: mostRatio },
      },
    ] satisfies Figure[];
  },
};
