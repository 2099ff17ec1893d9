import type { Mutant } from '../mutant.ts';

/** Components, and the configuration that follows them. */
export const components: readonly Mutant[] = [
  {
    name: 'late-word-about-an-earlier-wish-taken',
    file: 'actors/component/commands.ts',
    from: 'if (effect?.id !== effectId) return null;',
    to: 'if (effect === null) return null;',
    breaks: 'a component that is to be uninstalled is said to be when only its installation has ended',
    caughtBy: { file: 'test/actors/component.test.ts', title: 'only the last wish is followed' },
  },
  {
    name: 'earlier-wish-kept',
    file: 'actors/component/commands.ts',
    from: 'if (before !== null) runtime.change(outbox.remove(before.key));',
    to: '',
    breaks: 'the running hub does what nobody wants any more, and a file contradicts itself',
    caughtBy: { file: 'test/actors/component.test.ts', title: 'only the last wish is followed' },
  },
  {
    name: 'configuration-in-plain-text',
    file: 'actors/component/tables.ts',
    from: "new Table<ComponentRow>('component', ['id'], ['configuration'])",
    to: "new Table<ComponentRow>('component', ['id'])",
    breaks: 'the secrets of platforms can be read in the file',
    caughtBy: { file: 'test/actors/component.test.ts', title: 'a secret stands nowhere in plain text' },
  },
  {
    name: 'secrets-shown-by-components-get',
    file: 'src/http/components/fields.ts',
    from: 'value instanceof Secret ? masked(value.reveal()) : value',
    to: 'value instanceof Secret ? value.reveal() : value',
    breaks: 'answers and events tell the secrets of platforms',
    caughtBy: { file: 'test/http/components.test.ts', title: 'shows no secret in events, the log and the file' },
  },
  {
    name: 'bad-configuration-switched-on',
    file: 'src/config/components.ts',
    from: 'isOn: stored.isOn && !problem',
    to: 'isOn: stored.isOn',
    breaks: 'a connector is made of a configuration that lacks its secrets',
    caughtBy: { file: 'test/config/live.test.ts', title: 'leaves out what this version would not take, and says why' },
  },
  {
    name: 'two-webhook-dispatchers-at-once',
    file: 'src/dispatch/webhooks/switched-dispatcher.ts',
    from: 'await this.#ending?.drain();',
    to: 'void this.#ending?.drain();',
    breaks: 'an event that is under way when webhooks are switched off and on is sent twice',
    caughtBy: {
      file: 'test/dispatch/switched-webhooks.test.ts',
      title: 'what is under way when they are switched off is recorded',
    },
  },
  {
    name: 'uninstalled-while-calls-run',
    file: 'src/dispatch/source-delivery.ts',
    from: 'await calls.replacedEnded();',
    to: '',
    breaks: 'a source is called by a component that says it is uninstalled',
    caughtBy: { file: 'test/connectors/live.test.ts', title: 'is uninstalled when it has ended what it had begun' },
  },
  {
    name: 'change-seen-with-the-signal-only',
    file: 'src/node/services.ts',
    from: 'if (kind === configuringKind) refresh();',
    to: '',
    breaks: 'who has configured a component reads its old configuration right after the answer',
    caughtBy: { file: 'test/http/components.test.ts', title: 'is seen with the answer, though the signal gets lost' },
  },
];
