import type { Mutant } from '../mutant.ts';

const erasing = 'test/actors/contact-erasing.test.ts';
const turns = 'test/actors/erasing.test.ts';
const api = 'test/http/contacts-erase.test.ts';

/** Erasing a person. */
export const erasures: readonly Mutant[] = [
  {
    name: 'sender-kept',
    file: 'actors/conversation/erasing.ts',
    from: '...(row.from_contact === 1 && { sender: erasedSender }),',
    to: '',
    breaks: "a person's id at the source stays in every message",
    caughtBy: { file: erasing, title: 'nothing that a person wrote or is called is in any row' },
  },
  {
    name: 'old-versions-kept',
    file: 'actors/contact/erasing.ts',
    from: 'for (const { key } of versions) runtime.change(contactVersions.update(key, { sort: null, shown }));',
    to: 'if (versions.length > 500) runtime.change(contactVersions.update(versions[0]!.key, { sort: null, shown }));',
    breaks: 'what a contact was called stays in events',
    caughtBy: { file: erasing, title: 'nothing that a person wrote or is called is in any row' },
  },
  {
    name: 'merged-contacts-kept',
    file: 'actors/contact/erasing.ts',
    from: "if (runtime.value === 'merged') begin(runtime, partOf);\n    else ",
    to: '',
    breaks: 'what a contact was called before it was merged stays',
    caughtBy: { file: erasing, title: 'nothing that a person wrote or is called is in any row' },
  },
  {
    name: 'history-erased-but-for-its-first-part',
    file: 'actors/conversation/erasing.ts',
    from: 'if (next !== null) {',
    to: 'if (next !== null && erasure.from === undefined) {',
    breaks: 'events of a long conversation still tell what was written',
    caughtBy: { file: erasing, title: 'a long history is erased to its beginning' },
  },
  {
    name: 'erased-send-goes-out',
    file: 'actors/conversation/erasing.ts',
    from: "{ type: 'withdraw', error: 'It was erased before it was sent.' }",
    to: "{ type: 'source.failed', error: 'It was erased before it was sent.' }",
    breaks: 'a message of a person who is erased waits for ever',
    caughtBy: { file: erasing, title: 'a send that waits is withdrawn, and none goes out' },
  },
  {
    name: 'erased-message-taken-again',
    file: 'actors/conversation/erasing.ts',
    from: '...(source_message_id !== null &&',
    to: '...(source_message_id === undefined &&',
    breaks: 'our own message comes back when its source pushes it again',
    caughtBy: { file: erasing, title: 'our own message that its source pushes stays erased' },
  },
  {
    name: 'answer-before-all-parts',
    file: 'state-machines/contact.ts',
    from: 'erasure === last?.number && last.parts === 1',
    to: 'erasure === last?.number && last.parts >= 1',
    breaks: 'a person is told that everything is gone, and it is not',
    caughtBy: { file: 'test/state-machines/contact.test.ts', title: 'goes from ' },
  },
  {
    name: 'shown-file-removed',
    file: 'src/dispatch/media-removal.ts',
    from: 'return await isShown(sha256);',
    to: 'return (await isShown(sha256)) && false;',
    breaks: "a file is gone that somebody else's messages show",
    caughtBy: { file: api, title: 'leaves a file that somebody else shows' },
  },
  {
    name: 'steps-of-erased-deliveries-kept',
    file: 'actors/runtime/erased-turns.ts',
    from: 'subject === 0 || !forgets(subject)',
    to: 'subject === 0 || forgets(subject)',
    breaks: 'what a source said of a person who is erased stays in the journal',
    caughtBy: { file: erasing, title: 'what a source said of a send goes too' },
  },
  {
    name: 'answers-of-turns-kept',
    file: 'actors/runtime/erased-turns.ts',
    from: 'answer: turn.answer === null || tellsNothing(turn.answer) ? turn.answer : JSON.stringify(erasedAnswer),',
    to: 'answer: turn.answer,',
    breaks: 'what was answered stays in the journal',
    caughtBy: { file: turns, title: 'a command whose answer was erased is not done again' },
  },
];
