/** What the core needs of the place where it runs: a browser, or a test. */

export interface Environment {
  fetch: typeof fetch;
  WebSocket: typeof WebSocket;
  storage: KeyValueStorage;
  clock: Clock;
  /** Unguessable text. */
  newId(): string;
  /** Between 0 and 1. */
  random(): number;
  /** Runs work while no other tab runs any under this name. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Calls when trying again may help: the network is back, or the page is looked at. @returns what ends that */
  onReturn(listener: () => void): () => void;
}

/** Text that outlives the page, and that all tabs of a site share. */
export interface KeyValueStorage {
  get(key: string): string | null;
  set(key: string, value: string | null): void;
  /** The keys that begin so. */
  keys(prefix: string): string[];
  /** Calls for what another tab has changed, with the key. @returns what ends that */
  watch(listener: (key: string) => void): () => void;
}

export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** @returns what cancels it */
  schedule(ms: number, run: () => void): () => void;
}

/** For where the browser's storage is blocked: as long as the page. */
export function memoryStorage(): KeyValueStorage {
  const values = new Map<string, string>();
  return {
    get: (key) => values.get(key) ?? null,
    set(key, value) {
      if (value === null) values.delete(key);
      else values.set(key, value);
    },
    keys: (prefix) => [...values.keys()].filter((key) => key.startsWith(prefix)),
    watch: () => () => {},
  };
}

/** What a storage holds as JSON; null when that is nothing of ours. */
export function readJson<T>(text: string | null): T | null {
  try {
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}
