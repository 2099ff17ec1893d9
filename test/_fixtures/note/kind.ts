import { defineKind } from '#actors/runtime/kind.ts';
import { noteHandlers, noteMachine, noteRenderers, noteTimer, recogniseWrite } from './commands.ts';
import type { NoteCommands } from './contract.ts';
import { noteReader, noteReads, prunableNotes } from './reads.ts';
import { noteLines, notes } from './tables.ts';

/** What people write down about a channel. */
export const noteKind = defineKind<NoteCommands>()({
  name: 'note',
  machine: noteMachine,
  table: notes,
  tables: [noteLines],
  blank: { channel_id: null, lines: 0, last_line: null },
  reads: noteReads,
  load: () => null,
  handlers: noteHandlers,
  recognised: { 'note.write': recogniseWrite },
  onTimer: noteTimer,
  renderers: noteRenderers,
  pruning: { period: 'notes', command: 'note.prune', actors: prunableNotes },
  contradictions: (db) => ({
    *rows() {
      const missing = db.prepare('SELECT key FROM note_line WHERE note NOT IN (SELECT key FROM note)').pluck();
      for (const key of missing.all()) yield `line ${String(key)}: its note is not there`;
    },
  }),
  readers: { notes: noteReader },
});
