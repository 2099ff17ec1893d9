import type { CommandSender } from '#actors/commands.ts';
import { Failure } from '#actors/errors.ts';
import type { Clause } from '#actors/filter.ts';
import type { FeedReader } from '#actors/journal/feed.ts';
import type { EventSubject } from '#actors/representation.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import type { LongReads } from '#src/runtime/long-reads.ts';
import type { Services } from '#src/services.ts';

/**
 * The services as a caller sees them who is bound to sources: what is of others is not there, and what does not know
 * sources is refused. So an operation needs no thought of its own about it.
 */
export function boundServices(services: Services, sources: ReadonlySet<string>): Services {
  const store = boundStore(services.store, sources);
  return {
    ...services,
    store,
    longReadsFor: (caller) => boundReads(services.longReadsFor(caller), sources),
    feed: boundFeed(services.feed, store),
    commandsFor: (origin) => boundCommands(services.commandsFor(origin), store, sources),
    testWebhook: refuse,
  };
}

const refuse = (): never => {
  throw new Failure('forbidden', 'This is about all sources, and this API key is bound to some.');
};

/** Something whose every method is refused. */
const refused = <T extends object>(): T => new Proxy({}, { get: () => refuse }) as T;

function boundStore(store: StoreReader, sources: ReadonlySet<string>): StoreReader {
  const others = Object.fromEntries(Object.keys(store).map((name) => [name, refused()])) as unknown as StoreReader;
  const has = (conversationId: string): boolean =>
    isOf(sources, store.conversations.find(conversationId)?.channel.source);
  return {
    ...others,
    channels: {
      ...refused(),
      find: (id) => ifOf(sources, store.channels.find(id), ({ source }) => source),
      page: (query, filter) => store.channels.page(query, { ...filter, sources: [...sources] }),
    },
    // Words of the hub, of no source.
    tags: store.tags,
    sources: {
      find: (id) => (sources.has(id) ? store.sources.find(id) : null),
      list: () => store.sources.list().filter(({ source_id: id }) => sources.has(id)),
    },
    conversations: {
      ...refused(),
      find: (id) => ifOf(sources, store.conversations.find(id), ({ channel }) => channel.source),
    },
    messages: {
      ...refused(),
      find: (id) => ifOf(sources, store.messages.find(id), ({ message }) => message.source),
      page: (conversationId, query, order) =>
        has(conversationId)
          ? store.messages.page(conversationId, query, order)
          : { items: [], before: null, after: null, total: 0 },
    },
  };
}

const isOf = (sources: ReadonlySet<string>, source: string | undefined): boolean =>
  source !== undefined && sources.has(source);

const ifOf = <T>(sources: ReadonlySet<string>, found: T | null, sourceOf: (found: T) => string): T | null =>
  found !== null && sources.has(sourceOf(found)) ? found : null;

/** Lists are narrowed by their filter, so that pages and totals are right. */
function boundReads(reads: LongReads, sources: ReadonlySet<string>): LongReads {
  const ofSources: Clause = {
    kind: 'any',
    clauses: [...sources].map((source) => ({
      kind: 'match',
      field: { path: ['source'], at: 0 },
      value: { pieces: [source], at: 0 },
    })),
  };
  return {
    ...refused<LongReads>(),
    conversations: (query, filter) =>
      reads.conversations(query, filter === null ? ofSources : { kind: 'all', clauses: [ofSources, filter] }),
  };
}

/** A page is as long as what is left of it; its position goes past what is not. */
function boundFeed(feed: FeedReader, store: StoreReader): FeedReader {
  const shows = ({ type, id }: EventSubject): boolean => {
    if (type === 'conversation') return store.conversations.find(id) !== null;
    return type === 'channel' && store.channels.find(id) !== null;
  };
  return {
    ...feed,
    read(query) {
      const page = feed.read(query);
      const shown = new Map<string, boolean>();
      const entries = page.entries.filter(({ event: { subject } }) => {
        const known = shown.get(subject.id) ?? shows(subject);
        shown.set(subject.id, known);
        return known;
      });
      return { ...page, entries };
    },
  };
}

/** Only conversations and channels of the sources are asked for something; the others are not there. */
function boundCommands(commands: CommandSender, store: StoreReader, sources: ReadonlySet<string>): CommandSender {
  const isOurs = (kind: string, id: string, body: unknown): boolean => {
    if (kind === 'channel') return store.channels.find(id) !== null;
    if (kind !== 'conversation') return refuse();
    const { origin } = (body ?? {}) as { origin?: { source: string } };
    return origin === undefined ? store.conversations.find(id) !== null : sources.has(origin.source);
  };
  return {
    async send(kind, id, type, body) {
      if (!isOurs(kind, id, body)) throw new Failure('not_found', `There is no ${kind} ${id}.`);
      return commands.send(kind, id, type, body);
    },
    redrive: refuse,
    relay: refuse,
  };
}
