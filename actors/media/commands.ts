import { type ErasureOf, nothingErased } from '#machines/contact.ts';
import { contactActor } from '../contact/contract.ts';
import { namespaces } from '../ids.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import { outbox } from '../store/tables.ts';
import { uuidV5 } from '../uuid.ts';
import { type MediaCommands, type Release, releaseEffect } from './contract.ts';
import type { MediaRow } from './tables.ts';

type MediaRuntime = Runtime<MediaRow, null, null, null>;

export const mediaHandlers: Handlers<MediaRuntime, MediaCommands> = {
  'media.store'(runtime, facts) {
    const { row, actor, turn: stored } = runtime;
    if (actor.isNew || isErased(row)) runtime.save({ ...facts, created_at: runtime.now, erased: null });
    // Whoever gave it last must not lose it to an erasure of before.
    runtime.save({ stored });
    return null;
  },

  'media.release'(runtime, { partOf }) {
    const { row, actor } = runtime;
    if (actor.isNew || isErased(row)) report(runtime, partOf, 0);
    else askForRemoval(runtime, { partOf, stored: row.stored });
    return null;
  },

  'media.forget'(runtime, { stored }) {
    const { row } = runtime;
    if (row.stored === stored) runtime.save({ bytes: 0, type: '', name: '', created_at: 0, erased: 1 });
    return { forgotten: isErased(row) };
  },

  'media.released'(runtime, { effectId, partOf, removed }) {
    const effect = runtime.effectOf(runtime.actor.key, releaseEffect);
    if (effect?.id !== effectId) return null;
    runtime.change(outbox.remove(effect.key));
    report(runtime, partOf, removed ? 1 : 0);
    return null;
  },
};

const isErased = ({ erased }: Readonly<MediaRow>): boolean => erased === 1;

function askForRemoval(runtime: MediaRuntime, release: Release): void {
  const { key } = runtime.actor;
  runtime.change(
    outbox.insert({
      ...{ key: runtime.nextKey(), id: uuidV5(namespaces.command, releaseEffect, runtime.commandId) },
      ...{ kind: releaseEffect, lane: key, subject: key, ready: 1, body: JSON.stringify(release), at: runtime.now },
    }),
  );
}

function report(runtime: MediaRuntime, { contact, erasure }: ErasureOf, files: number): void {
  const erased = { ...nothingErased, files };
  runtime.tell(contactActor(contact), 'contact.part-erased', { erasure, erased });
}
