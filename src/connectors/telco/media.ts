import { isObject } from '#actors/json.ts';
import type { MediaLocator } from '../powers.ts';
import { credential, type Telco } from './platform.ts';

const field = /^MediaUrl(\d{1,3})$/;

/** Files of a message stand in its form by their address, which takes the credential of the account. */
export const mediaOf = (telco: Telco): MediaLocator => ({
  locate(content) {
    if (!isObject(content)) return [];
    return Object.entries(content).flatMap(([name, at]) => {
      const number = field.exec(name)?.[1];
      return number !== undefined && typeof at === 'string' && URL.canParse(at) ? [{ name: number, at }] : [];
    });
  },
  async open({ at }) {
    // Whoever wrote the content: only the platform sees the credential.
    const isOurs = URL.parse(at)?.origin === new URL(telco.apiBase).origin;
    return { url: at, headers: isOurs ? { Authorization: credential(telco) } : {} };
  },
});
