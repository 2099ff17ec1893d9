import type { CommandResult } from '#actors/commands.ts';
import { channelId, conversationId, messageId, namespaces, sourceActorId } from '#actors/ids.ts';
import { uuidV5 } from '#actors/uuid.ts';
import type { Clients } from './clients.ts';
import type { Ledger } from './ledger.ts';
import type { HubProcess, World } from './world.ts';

export const sourceIds = ['acme', 'bell'];
const linesPerSource = 2;
const contactsPerLine = 3;
const sender = { id: 'agent:1' };

interface Contact {
  name: string;
  source: string;
  channel: string;
  conversation: string;
}

export const endpoint = (source: string): string => `https://${source}.example/actions`;
const lineOf = (source: string, line: number): string => channelId(source, `line-${line}`);

const contacts: Contact[] = sourceIds.flatMap((source) =>
  Array.from({ length: linesPerSource * contactsPerLine }, (_, n) => {
    const channel = lineOf(source, n % linesPerSource);
    // The contacts of two lines of a source share their names, as a person who writes to both does.
    const name = `${source}-${Math.floor(n / linesPerSource)}`;
    return { name, source, channel, conversation: conversationId(channel, name) };
  }),
);

/** What clients ask for, as chance will have it. */
export class Requests {
  readonly #world: World;
  readonly #clients: Clients;
  readonly #ledger: Ledger;
  #made = 0;

  constructor(world: World, clients: Clients, ledger: Ledger) {
    this.#world = world;
    this.#clients = clients;
    this.#ledger = ledger;
    world.onAccepted = (id, sourceMessageId) => this.#echo(id, sourceMessageId);
  }

  /** Sources and channels, before any fault. */
  prepare(): void {
    for (const sourceId of sourceIds) {
      this.#ask(`create ${sourceId}`, true, (hub, key) =>
        hub
          .commandsFor({ cause: 'prepare', ...key })
          .send('source', sourceActorId(sourceId), 'source.create', { sourceId, actionEndpoint: endpoint(sourceId) }),
      );
      for (let line = 0; line < linesPerSource; line++) this.#connect(sourceId, line);
    }
  }

  ingest(): void {
    const { random } = this.#world;
    const contact = random.pick(contacts);
    // Few ids, so that many are repeated, in later batches and in the same one.
    const ids = Array.from({ length: 1 + random.int(3) }, () => `in-${random.int(25)}`);
    this.#ingest(contact, ids, random.chance(0.85));
    if (random.chance(0.2)) this.#ingest(contact, ids, true);
  }

  send(): void {
    const contact = this.#world.random.pick(contacts);
    for (let count = 1 + this.#world.random.int(2); count > 0; count--) this.#send(contact, false);
  }

  start(): void {
    this.#send(this.#world.random.pick(contacts), true);
  }

  resend(): void {
    const { random } = this.#world;
    const sends = [...this.#ledger.sends];
    const failed = sends.filter(([id]) => this.#world.stateOf(id) === 'failed');
    const [id, send] = random.pick(failed.length > 0 && random.chance(0.8) ? failed : sends) ?? [];
    if (id === undefined || send === undefined) return;
    this.#ask(`resend ${id}`, random.chance(0.5), (hub, key) =>
      hub.commandsFor({ cause: 'resend', ...key }).send('conversation', send.conversation, 'message.resend', {
        messageId: id,
      }),
    );
  }

  markRead(): void {
    const { conversation } = this.#world.random.pick(contacts);
    this.#ask(`read ${conversation}`, false, (hub) =>
      hub.commandsFor({ cause: 'read' }).send('conversation', conversation, 'conversation.mark-read', null),
    );
  }

  setState(): void {
    const { random } = this.#world;
    const { conversation } = random.pick(contacts);
    const state = random.pick(['OPEN', 'CLOSED', null] as const);
    this.#ask(`state ${conversation}`, random.chance(0.5), (hub, key) => {
      const commands = hub.commandsFor({ cause: 'state', ...key });
      return state === null
        ? commands.send('conversation', conversation, 'conversation.remove-state', null)
        : commands.send('conversation', conversation, 'conversation.set-state', { state });
    });
  }

  upsert(): void {
    const { random } = this.#world;
    const entry = { conversation: random.pick(contacts).conversation, key: `k${this.#made}` };
    const kept = { ...entry, acknowledged: false, denied: false };
    this.#ledger.metadata.push(kept);
    this.#ask(
      `upsert ${entry.key}`,
      random.chance(0.5),
      (hub, key) =>
        hub.commandsFor({ cause: 'upsert', ...key }).send('conversation', entry.conversation, 'metadata.upsert', {
          messageId: null,
          data: { [entry.key]: true },
        }),
      () => {
        kept.acknowledged = true;
      },
      () => {
        kept.denied = true;
      },
    );
  }

  /** A source tells something about a conversation that may not be there yet. */
  say(): void {
    const { source, name: contact } = this.#world.random.pick(contacts);
    const said = { source, contact, key: `s${this.#made}` };
    const item = { namespace: 'conversation' as const, sourceId: contact, metadata: { [said.key]: true } };
    this.#ask(
      `say ${said.key}`,
      true,
      (hub, key) =>
        hub
          .commandsFor({ cause: 'say', ...key })
          .send('source', sourceActorId(source), 'metadata.park', { items: [item] }),
      () => this.#ledger.said.push(said),
    );
  }

  connection(): void {
    const { random } = this.#world;
    const source = random.pick(sourceIds);
    const line = random.int(linesPerSource);
    if (random.chance(0.65)) this.#connect(source, line);
    else {
      this.#ask(`disconnect ${source} ${line}`, random.chance(0.5), (hub, key) =>
        hub
          .commandsFor({ cause: 'disconnect', ...key })
          .send('channel', lineOf(source, line), 'channel.disconnect', null),
      );
    }
  }

  #connect(source: string, line: number): void {
    const body = { source, sourceChannelId: `line-${line}`, sourceId: source, name: `Line ${line}`, token: 'given' };
    this.#ask(`connect ${source} ${line}`, true, (hub, key) =>
      hub.commandsFor({ cause: 'connect', ...key }).send('channel', lineOf(source, line), 'channel.connect', body),
    );
  }

  #ingest(contact: Contact, sourceMessageIds: string[], fromContact: boolean): void {
    const { conversation } = contact;
    const origin = { channelId: contact.channel, source: contact.source, sourceConversationId: contact.name };
    const sentAt = this.#world.time.now();
    const messages = sourceMessageIds.map((sourceMessageId) => ({
      id: messageId(conversation, sourceMessageId),
      sourceMessageId,
      senderId: contact.name,
      content: { text: sourceMessageId },
      fromContact,
      sentAt,
    }));
    // A source does not give keys: it sends again, and the messages' own ids make that harmless.
    this.#ask(
      `ingest ${contact.name} ${sourceMessageIds.join(' ')}`,
      this.#world.random.chance(0.3),
      (hub, key) =>
        hub
          .commandsFor({ cause: 'ingest', ...key })
          .send('conversation', conversation, 'messages.ingest', { origin, messages }),
      (answer) => {
        for (const item of (answer as CommandResult<'conversation', 'messages.ingest'>).messages) {
          this.#ledger.ingested.push({ conversation, sourceMessageId: item.source_message_id, id: item.id });
        }
      },
    );
  }

  #send(contact: Contact, starts: boolean): void {
    const { random } = this.#world;
    const id = random.uuid();
    const send = { conversation: contact.conversation, text: `text ${id}`, denied: false };
    const kept = { ...send, acknowledged: null as 'stored' | 'parked' | null };
    this.#ledger.sends.set(id, kept);
    const origin = { channelId: contact.channel, source: contact.source, sourceConversationId: contact.name };
    const body = { messageId: id, content: { text: send.text }, sender, ...(starts && { origin }) };
    const run = (hub: HubProcess, key: Key): Promise<unknown> =>
      hub.commandsFor({ cause: 'send', ...key }).send('conversation', contact.conversation, 'message.send', body);
    const claims = random.chance(0.3);
    this.#ask(
      `send ${id}`,
      claims || random.chance(0.4),
      (hub, key) => (claims ? claimed(hub, key, () => run(hub, key)) : run(hub, key)),
      (answer) => {
        const { message } = answer as CommandResult<'conversation', 'message.send'>;
        kept.acknowledged = message === null ? 'parked' : 'stored';
      },
      () => {
        kept.denied = true;
      },
    );
  }

  /** Some sources report what was sent through them as a message of their own. */
  #echo(id: string, sourceMessageId: string): void {
    const contact = contacts.find(({ conversation }) => conversation === this.#ledger.sends.get(id)?.conversation);
    if (contact !== undefined && this.#world.random.chance(0.15)) this.#ingest(contact, [sourceMessageId], false);
  }

  #ask(
    name: string,
    repeats: boolean,
    run: (hub: HubProcess, key: Key) => Promise<unknown>,
    acknowledged: (answer: unknown) => void = () => {},
    denied: () => void = () => {},
  ): void {
    const key = repeats ? `key ${this.#made++}` : null;
    if (!repeats) this.#made++;
    this.#clients.start({
      name,
      key,
      run: (hub) => run(hub, key === null ? {} : { idempotencyKey: key }),
      acknowledged,
      denied,
    });
  }
}

interface Key {
  idempotencyKey?: string;
}

/** As the facade does with an `Idempotency-Key`: claim it, do the work, keep the answer. */
async function claimed(hub: HubProcess, { idempotencyKey = '' }: Key, work: () => Promise<unknown>): Promise<unknown> {
  const actor = uuidV5(namespaces.idempotencyKey, idempotencyKey);
  const commands = hub.commandsFor({ cause: 'claim' });
  const { answer } = await commands.send('idempotency-key', actor, 'key.claim', { bodyHash: idempotencyKey });
  if (answer !== null) return JSON.parse(answer.body!) as unknown;
  const result = await work();
  const stored = { status: 200, body: JSON.stringify(result), headers: {} };
  await commands.send('idempotency-key', actor, 'key.complete', { answer: stored });
  return result;
}
