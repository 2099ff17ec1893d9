import type { ApiKeyReader, UsableApiKey } from '#actors/api-key/reader.ts';
import type { ChannelReader } from '#actors/channel/reader.ts';
import type { ChannelJson, SourceJson } from '#actors/representation.ts';
import type { SourceReader } from '#actors/source/reader.ts';
import type { OpenSession, SessionReader } from '#actors/user-session/reader.ts';
import type { OpenStoreReader } from '#actors/store-reader.ts';

/** Entries of one map: far more than sources that talk at the same time. */
const mostEntries = 10_000;

/** Whose commands may have changed what is remembered. */
export const rememberedKinds: readonly string[] = ['source', 'channel', 'api-key', 'user', 'user-session'];

/** A reader whose sources, channels, API keys and sessions stay in memory. */
export interface RememberedStore {
  store: OpenStoreReader;
  /** Something of them has changed: to be called before anybody is told, and whenever a signal may have been lost. */
  forget(): void;
}

/**
 * Keeps sources, channels, API keys and sessions in memory: every request asks for them, and each commit of the host empties the page cache
 * of a reader. What is read here may be as old as the last signal; an actor that depends on it looks itself, in its turn.
 */
export function remembered(store: OpenStoreReader): RememberedStore {
  const channels = new Map<string, ChannelJson>();
  const sources = new Map<string, { source: SourceJson; issuedAt: number }>();
  const apiKeys = new Map<string, UsableApiKey>();
  const sessions = new Map<string, OpenSession>();
  const channelReader: ChannelReader = { ...store.channels, find: remembering(channels, store.channels.find) };
  const sourceReader: SourceReader = { ...store.sources, find: remembering(sources, store.sources.find) };
  const apiKeyReader: ApiKeyReader = { ...store.apiKeys, find: remembering(apiKeys, store.apiKeys.find) };
  const sessionReader: SessionReader = { ...store.sessions, find: remembering(sessions, store.sessions.find) };
  const readers = { channels: channelReader, sources: sourceReader, apiKeys: apiKeyReader, sessions: sessionReader };
  return {
    store: { ...store, ...readers },
    forget() {
      channels.clear();
      sources.clear();
      apiKeys.clear();
      sessions.clear();
    },
  };
}

/** Only what is there is kept: names that nobody has cost no memory. */
function remembering<V>(known: Map<string, V>, find: (id: string) => V | null): (id: string) => V | null {
  return (id) => {
    const value = known.get(id) ?? find(id);
    if (value === null) return null;
    if (known.size >= mostEntries) known.clear();
    known.set(id, value);
    return value;
  };
}
