import type { EventOf } from '#machines/registry.ts';
import { uuidV5 } from '../uuid.ts';
import { Failure } from '../errors.ts';
import { namespaces } from '../ids.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import { outbox } from '../store/tables.ts';
import type { ComponentCommands, Named } from './contract.ts';
import { componentEffect } from './effects.ts';
import { componentJson } from './representation.ts';
import type { ComponentRow } from './tables.ts';

type ComponentRuntime = Runtime<ComponentRow, null, null, 'component'>;

export const componentHandlers: Handlers<ComponentRuntime, ComponentCommands> = {
  'component.install'(runtime, body) {
    adopt(runtime, body);
    step(runtime, { type: 'install' });
    return null;
  },

  'component.uninstall'(runtime, body) {
    adopt(runtime, body);
    step(runtime, { type: 'uninstall' });
    return null;
  },

  'component.update'(runtime, { enabled, configuration, ...named }) {
    adopt(runtime, named);
    if (runtime.value !== 'installed') throw new Failure('not_found', `${named.name} is not installed.`);
    runtime.save({
      enabled: enabled ? 1 : 0,
      ...(configuration && {
        configuration: configuration.secret,
        shown: JSON.stringify(configuration.shown),
      }),
    });
    announce(runtime);
    return null;
  },

  'component.delete'(runtime, body) {
    adopt(runtime, body);
    runtime.save({ enabled: 0, configuration: '{}', shown: '{}' });
    announce(runtime);
    return null;
  },

  'component.followed'(runtime, { effectId }) {
    const effect = runtime.effectOf(runtime.actor.key, componentEffect);
    if (effect?.id !== effectId) return null;
    runtime.change(outbox.remove(effect.key));
    step(runtime, { type: 'followed' });
    return null;
  },
};

/** The first command makes the component what the file says; from then on the stored one counts. */
function adopt(runtime: ComponentRuntime, { name, inFile }: Named): void {
  if (!runtime.actor.isNew) return;
  runtime.save({ name });
  if (inFile) step(runtime, { type: 'adopt' });
}

function step(runtime: ComponentRuntime, event: EventOf<'component'>): void {
  for (const { type } of runtime.step(event).effects) {
    if (type === 'enable') runtime.save({ enabled: 1 });
    if (type === 'follow') follow(runtime);
    if (type === 'announce') announce(runtime);
  }
}

/** Asks the running hub to follow, instead of what it was asked for before: only the last wish counts. */
function follow(runtime: ComponentRuntime): void {
  const { actor, commandId, now } = runtime;
  const before = runtime.effectOf(actor.key, componentEffect);
  if (before !== null) runtime.change(outbox.remove(before.key));
  runtime.change(
    outbox.insert({
      key: runtime.nextKey(),
      id: uuidV5(namespaces.command, 'follow', commandId),
      kind: componentEffect,
      lane: actor.key,
      subject: actor.key,
      ready: 1,
      body: JSON.stringify({ component: actor.id }),
      at: now,
    }),
  );
}

function announce(runtime: ComponentRuntime): void {
  runtime.emit('component.updated', { ...componentJson(runtime.row) });
  runtime.signal('components');
}
