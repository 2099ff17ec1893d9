import type { Handlers, Runtime } from '../runtime/kind.ts';
import type { MediaCommands } from './contract.ts';
import type { MediaRow } from './tables.ts';

type MediaRuntime = Runtime<MediaRow, null, null, null>;

export const mediaHandlers: Handlers<MediaRuntime, MediaCommands> = {
  'media.store'(runtime, { sha256, bytes, type, name }) {
    if (runtime.actor.isNew) runtime.save({ sha256, bytes, type, name, created_at: runtime.now });
    return null;
  },
};
