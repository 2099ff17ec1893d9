/** The commands of a note: type → body and result. */
export type NoteCommands = {
  /** Adds a line; `id` is its UUID. The first one opens the note about a channel. */
  'note.write': { body: { channelId: string; id: string; text: string }; result: { number: number } };
  /** Closes it and names the channel after its last line. @throws Failure `not_found` */
  'note.close': { body: null; result: null };
  /** Forgets lines with keys below `before`. */
  'note.prune': { body: { before: number }; result: null };
};
