import { type KeyValueStorage, memoryStorage, type Platform } from './core/platform.ts';

/** What the core needs, as browsers have it. */
export function browserPlatform(): Platform {
  return {
    fetch: (...request) => fetch(...request),
    WebSocket,
    storage: isStorageOpen() ? siteStorage() : memoryStorage(),
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

/** Reading the property alone throws where a site may store nothing. */
function isStorageOpen(): boolean {
  const probe = 'parley:probe';
  try {
    localStorage.setItem(probe, '1');
    localStorage.removeItem(probe);
    return true;
  } catch {
    return false;
  }
}

function siteStorage(): KeyValueStorage {
  // What the browser's storage has no room for any more is kept as long as the page.
  const overflow = memoryStorage();
  return {
    get: (key) => overflow.get(key) ?? localStorage.getItem(key),
    set(key, value) {
      overflow.set(key, null);
      try {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, value);
      } catch {
        overflow.set(key, value);
      }
    },
    keys: (prefix) => [
      ...new Set([...Object.keys(localStorage).filter((key) => key.startsWith(prefix)), ...overflow.keys(prefix)]),
    ],
    watch(listener) {
      const changed = ({ key }: StorageEvent) => key !== null && listener(key);
      addEventListener('storage', changed);
      return () => removeEventListener('storage', changed);
    },
  };
}
