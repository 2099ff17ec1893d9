import { channelId } from '#actors/ids.ts';
import { type Contact, contacts, endpoint, lineName, linesPerSource, sourceIds } from './cast.ts';
import type { Asked, Clients } from './clients.ts';
import type { Ledger } from './ledger.ts';
import type { World } from './world.ts';

/** What `sources.webhook` answers with. */
interface Ingested {
  messages: { source_message_id: string; id: string; conversation_id: string; duplicate: boolean }[];
}

/** The applications that are sources: they connect channels, push messages and say things about conversations. */
export class SourceApps {
  readonly #world: World;
  readonly #clients: Clients;
  readonly #ledger: Ledger;
  readonly #tokens = new Map<string, string>();
  #made = 0;

  readonly #pushes = new Map<string, { count: number }>();

  constructor(world: World, clients: Clients, ledger: Ledger) {
    this.#world = world;
    this.#clients = clients;
    this.#ledger = ledger;
    world.sources.onAccepted = (id, sourceMessageId) => this.#echo(id, sourceMessageId);
  }

  /** Sources and channels, before any fault. */
  prepare(): void {
    for (const sourceId of sourceIds) {
      this.#clients.ask({
        name: `create ${sourceId}`,
        path: '/sources.create',
        body: { source_id: sourceId, action_endpoint: endpoint(sourceId) },
        inDoubt: 'key',
        acknowledged: ({ body }) => {
          this.#tokens.set(sourceId, (body as { token: string }).token);
          this.#connectAll(sourceId);
        },
      });
    }
  }

  /** Connects every channel, whether or not it is connected. */
  connectAll(): void {
    for (const sourceId of sourceIds) this.#connectAll(sourceId);
  }

  ingest(): void {
    const { random } = this.#world;
    const contact = random.pick(contacts);
    // Few ids, so that many are repeated, in later requests and in the same one.
    const ids = Array.from({ length: 1 + random.int(3) }, () => `in-${random.int(25)}`);
    this.#ingest(contact, ids, random.chance(0.85));
    if (random.chance(0.2)) this.#ingest(contact, ids, true);
  }

  /** Somebody writes something that is no part of what the ledger counts. */
  write({ source, name, line }: Contact, text: string): void {
    const about = { source_message_id: text, source_conversation_id: name, source_channel_id: line };
    const message = { ...about, source_sender_id: name, content: { text }, from_contact: true };
    const target = { namespace: 'conversation', source_channel_id: line, source_id: name };
    this.#push(source, {
      name: `write ${name} ${text}`,
      body: {
        messages: [{ ...message, sent_at: this.#world.now() }],
        metadata: [{ ...target, metadata: { note: text } }],
      },
      inDoubt: this.#world.random.pick(['key', 'again', 'give up'] as const),
    });
  }

  /** Tells something about a conversation that may not be there yet. */
  say(): void {
    const { source, line, name: contact, conversation } = this.#world.random.pick(contacts);
    const said = { source, contact, conversation, key: `s${this.#made++}` };
    const target = { namespace: 'conversation', source_channel_id: line, source_id: contact };
    this.#push(source, {
      name: `say ${said.key}`,
      body: { metadata: [{ ...target, metadata: { [said.key]: true } }] },
      inDoubt: 'key',
      acknowledged: () => this.#ledger.said.push(said),
    });
  }

  connection(): void {
    const { random } = this.#world;
    const source = random.pick(sourceIds);
    const line = random.int(linesPerSource);
    if (random.chance(0.65)) {
      this.#connect(source, line);
      return;
    }
    this.#clients.ask({
      name: `disconnect ${source} ${line}`,
      path: '/sources.channels.disconnect',
      body: { channel_id: channelId(source, lineName(line)) },
      token: this.#tokens.get(source),
      inDoubt: random.chance(0.5) ? 'key' : 'again',
    });
  }

  #connectAll(source: string): void {
    for (let line = 0; line < linesPerSource; line++) this.#connect(source, line);
  }

  #connect(source: string, line: number): void {
    this.#clients.ask({
      name: `connect ${source} ${line}`,
      path: '/sources.channels.create',
      body: { source_channel_id: lineName(line), name: `Line ${line}`, metadata: { token: 'given' } },
      token: this.#tokens.get(source),
      inDoubt: 'key',
    });
  }

  #ingest(contact: Contact, sourceMessageIds: string[], fromContact: boolean): void {
    const { conversation, source, name, line } = contact;
    const sentAt = this.#world.now();
    const pushes = sourceMessageIds.map((id) => this.#pushesOf(`${conversation} ${id}`));
    for (const push of new Set(pushes)) push.count++;
    const inDoubt = this.#world.random.pick(['key', 'again', 'give up'] as const);
    this.#push(source, {
      name: `ingest ${name} ${sourceMessageIds.join(' ')}`,
      body: {
        messages: sourceMessageIds.map((id) => ({
          source_message_id: id,
          source_conversation_id: name,
          source_channel_id: line,
          source_sender_id: name,
          content: { text: id },
          from_contact: fromContact,
          sent_at: sentAt,
        })),
      },
      // The messages' own ids make a repetition harmless.
      inDoubt,
      acknowledged: ({ body }) => {
        const { messages } = body as Ingested;
        for (const [n, { source_message_id: sourceMessageId, id, duplicate }] of messages.entries()) {
          // What is pushed once, and not asked for anew when in doubt, can be a duplicate of nothing but itself.
          const isOnce =
            fromContact && inDoubt !== 'again' && pushes[n]!.count === 1 && pushes.indexOf(pushes[n]!) === n;
          this.#ledger.ingested.push({ conversation, sourceMessageId, id, ofItself: duplicate && isOnce });
        }
      },
    });
  }

  /** How often a message was pushed, counting the requests. */
  #pushesOf(message: string): { count: number } {
    const pushes = this.#pushes.get(message) ?? { count: 0 };
    this.#pushes.set(message, pushes);
    return pushes;
  }

  /** Some sources report what was sent through them as a message of their own. */
  #echo(id: string, sourceMessageId: string): void {
    const conversation = this.#world.store.messages.find(id)?.conversationId;
    const contact = contacts.find((other) => other.conversation === conversation);
    if (contact !== undefined && this.#world.random.chance(0.15)) this.#ingest(contact, [sourceMessageId], false);
  }

  #push(source: string, asked: Omit<Asked, 'path' | 'token'>): void {
    this.#clients.ask({ ...asked, path: '/sources.webhook', token: this.#tokens.get(source) });
  }
}
