import type { Mutant } from '../mutant.ts';

const merge = 'test/actors/contact-merge.test.ts';
const imports = 'test/dispatch/contact-import.test.ts';

/** Contacts: what is said of them, their merges and imports. */
export const contacts: readonly Mutant[] = [
  {
    name: 'merge-overwrites-the-destination',
    file: 'actors/contact/merge.ts',
    from: 'let filled = { ...others, ...fields, ...treesOf(fields) };',
    to: 'let filled = { ...fields, ...others, ...treesOf(fields) };',
    breaks: 'what was known of a person is lost by a merge',
    caughtBy: { file: merge, title: 'what the destination lacks comes from the source' },
  },
  {
    name: 'merge-takes-no-part-of-an-object',
    file: 'actors/contact/merge.ts',
    from: '[name]: { ...others[name], ...fields[name] }',
    to: '[name]: fields[name] ?? others[name]',
    breaks: 'the second telephone number of a person is lost',
    caughtBy: { file: merge, title: 'what the destination lacks comes from the source' },
  },
  {
    name: 'merge-lets-its-conversations-go',
    file: 'actors/contact/merge.ts',
    from: "const { merges } = vanish(runtime, { type: 'merge', into }, into);",
    to: "const { merges } = vanish(runtime, { type: 'merge', into }, into);\n  removeConversations(runtime);",
    breaks: 'nobody has a conversation until the other contact has heard of it',
    caughtBy: { file: merge, title: 'its conversations are found at every moment' },
  },
  {
    name: 'merge-not-recognised',
    file: 'actors/contact/merge.ts',
    from: 'if (row.merged_into === into) return { merges: mergesOf(row) };',
    to: '',
    breaks: 'a merge that is asked for twice is refused',
    caughtBy: { file: merge, title: 'a merge that is asked for again is one' },
  },
  {
    name: 'given-back-without-conversations',
    file: 'actors/contact/merge.ts',
    from: "show(runtime, { type: 'given.back', merges }, fieldsOf(contact), contact.conversations);",
    to: "show(runtime, { type: 'given.back', merges }, fieldsOf(contact), {});",
    breaks: 'a contact whose merge failed has lost its conversations',
    caughtBy: { file: merge, title: 'a merge into a contact that is gone is given back' },
  },
  {
    name: 'circle-with-two-ends',
    file: 'actors/contact/merge.ts',
    from: 'cycle?.toSorted()[0]',
    to: 'cycle?.[0]',
    breaks: 'two that are merged into each other are both there',
    caughtBy: { file: merge, title: 'two that are merged into each other are one' },
  },
  {
    name: 'word-about-an-earlier-merge-taken',
    file: 'state-machines/contact.ts',
    from: 'merges === context.merges',
    to: 'merges > 0',
    breaks: 'a contact that is on its way a second time gives up its conversations too early',
    caughtBy: { file: 'test/state-machines/contact.test.ts', title: 'hears nothing of another merge by' },
  },
  {
    name: 'deleted-contact-can-not-be-erased',
    file: 'actors/contact/erasing.ts',
    from: "'active', 'deleted', 'erasing'",
    to: "'active', 'erasing'",
    breaks: 'of who was deleted and asks to be erased everything stays',
    caughtBy: {
      file: 'test/actors/contact-erased-meanwhile.test.ts',
      title: 'a contact that was deleted is erased with its messages',
    },
  },
  {
    name: 'empty-text-stored',
    file: 'actors/contact/fields.ts',
    from: "value === '' ? null :",
    to: 'value === 0 ? null :',
    breaks: 'a field that an agent removes is there, and empty',
    caughtBy: { file: 'test/http/contacts.test.ts', title: 'changes what is said, removes what is empty' },
  },
  {
    name: 'part-of-an-import-twice',
    file: 'actors/contact-import/commands.ts',
    from: 'if (!isOpen(value) || reads.parts(actor.key).has(part)) return {};',
    to: 'if (!isOpen(value)) return {};',
    breaks: 'an import whose sender tries again makes its people twice, or none',
    caughtBy: { file: imports, title: 'one that dies after' },
  },
  {
    name: 'import-without-a-part',
    file: 'actors/contact-import/commands.ts',
    from: 'if (reads.parts(actor.key).size < parts) {',
    to: 'if (reads.parts(actor.key).size === 0 || parts === 0) {',
    breaks: 'an import makes some of its people and says that it made all',
    caughtBy: { file: imports, title: 'a commit without a part is refused' },
  },
  {
    name: 'import-carried-out-for-ever',
    file: 'actors/contact-import/commands.ts',
    from: 'if (effect !== null) runtime.change(outbox.remove(effect.key));',
    to: '',
    breaks: 'an import is carried out again after each start',
    caughtBy: { file: imports, title: 'one that dies after' },
  },
];
