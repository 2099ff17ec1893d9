import type { EventOf, MachineId } from '#machines/registry.ts';
import { channelActor } from '#actors/channel/contract.ts';
import { Failure } from '#actors/errors.ts';
import type { EventRenderer } from '#actors/journal/turn.ts';
import type { EventType } from '#actors/representation.ts';
import type { Handlers, Recognition, Runtime } from '#actors/runtime/kind.ts';
import type { Connection } from '#actors/store/database.ts';
import type { NoteCommands } from './contract.ts';
import type { NoteEvent } from './machine.ts';
import { type NoteReads, noteReads } from './reads.ts';
import { noteLines, type NoteRow } from './tables.ts';

// A kind of the hub has its machine in the registry and its event type in the list, which are types: no cast is needed.
export const noteMachine = 'note' as MachineId;
export const noteUpdated = 'note.updated' as EventType;

type NoteRuntime = Runtime<NoteRow, null, NoteReads, MachineId>;

export const noteHandlers: Handlers<NoteRuntime, NoteCommands> = {
  'note.write'(runtime, { channelId, id, text }) {
    const { row, actor } = runtime;
    const key = runtime.nextKey();
    const number = row.lines + 1;
    runtime.change(noteLines.insert({ key, id, note: actor.key, number, text }));
    runtime.save({ channel_id: channelId, lines: number, last_line: key });
    step(runtime, { type: 'write' });
    return { number };
  },

  'note.close'(runtime) {
    const { row, actor, reads } = runtime;
    if (row.channel_id === null) throw new Failure('not_found', `There is no note ${actor.id}.`);
    step(runtime, { type: 'close' });
    const name = row.last_line === null ? undefined : reads.lineByKey(row.last_line)?.text;
    if (name !== undefined) runtime.tell(channelActor(row.channel_id), 'channel.update', { name });
    return null;
  },

  'note.prune'(runtime, { before }) {
    for (const { key } of runtime.reads.linesBefore(runtime.actor.key, before)) runtime.change(noteLines.remove(key));
    return null;
  },
};

/** Every line has the id that its command gave it. */
export const recogniseWrite: Recognition<
  NoteReads,
  NoteCommands['note.write']['body'],
  NoteCommands['note.write']['result']
> = (reads, _, { id }) => {
  const line = reads.line(id);
  return line === null ? null : { number: line.number };
};

export const noteTimer = (runtime: NoteRuntime, _: number, event: EventOf<MachineId>): void => step(runtime, event);

function step(runtime: NoteRuntime, event: NoteEvent | EventOf<MachineId>): void {
  for (const effect of runtime.step(event as EventOf<MachineId>).effects) {
    if (effect.type === 'announce') runtime.emit(noteUpdated, { s: runtime.value as string, l: runtime.row.last_line });
  }
}

/** The text stands in its line alone: an event refers to it by its key, and has none once it is pruned. */
export function noteRenderers(db: Connection): Partial<Record<EventType, EventRenderer>> {
  const { lineByKey } = noteReads(db);
  const render: EventRenderer = (data, { id }) => {
    const { s, l } = data as { s: string; l: number };
    return JSON.stringify({ id, state: s, text: lineByKey(l)?.text ?? null });
  };
  return { [noteUpdated]: render };
}
