import { type KeyValueStorage, memoryStorage, type Environment } from './core/environment.ts';

/** What the core needs, as browsers have it. */
export function browserEnvironment(): Environment {
  return {
    fetch: (...request) => fetch(...request),
    WebSocket,
    storage: siteStorage(),
    clock: {
      now: () => Date.now(),
      schedule(ms, run) {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
    },
    // `crypto.randomUUID` is missing on pages without https.
    newId: () =>
      Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
    random: () => Math.random(),
    // Where the browser has no locks, names still keep what is sent twice from being two Messages.
    exclusively: <T>(name: string, work: () => Promise<T>): Promise<T> =>
      navigator.locks ? (navigator.locks.request(name, work) as Promise<T>) : work(),
    onReturn(listener) {
      const looked = () => document.visibilityState === 'visible' && listener();
      addEventListener('online', listener);
      document.addEventListener('visibilitychange', looked);
      return () => {
        removeEventListener('online', listener);
        document.removeEventListener('visibilitychange', looked);
      };
    },
  };
}

/** The site's storage; what it does not take, being full or blocked, is kept as long as the page. */
function siteStorage(): KeyValueStorage {
  const memory = memoryStorage();
  return {
    get: (key) => memory.get(key) ?? attempt(() => localStorage.getItem(key)) ?? null,
    set(key, value) {
      memory.set(key, value);
      attempt(() => {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, value);
        memory.set(key, null);
      });
    },
    keys: (prefix) => {
      const stored = attempt(() => Object.keys(localStorage).filter((key) => key.startsWith(prefix))) ?? [];
      return [...new Set([...stored, ...memory.keys(prefix)])];
    },
    watch(listener) {
      const changed = ({ key }: StorageEvent) => key !== null && listener(key);
      addEventListener('storage', changed);
      return () => removeEventListener('storage', changed);
    },
  };
}

/** Where a site may store nothing, naming `localStorage` alone throws. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
