import type { Mutant } from '../mutant.ts';

const sending = 'test/dispatch/webhooks.test.ts';
const failing = 'test/dispatch/webhooks-failing.test.ts';
const signing = 'test/dispatch/webhooks-signing.test.ts';
const subscription = 'test/actors/webhook-subscription.test.ts';
const deliveries = 'test/actors/webhook-deliveries.test.ts';

/** Subscriptions, their lanes and their deliveries. */
export const webhooks: readonly Mutant[] = [
  {
    name: 'pause-delivered',
    file: 'actors/webhook-subscription/commands.ts',
    from: "(row.state === 'Unsubscribed' && body.resume !== true);",
    to: 'false;',
    breaks: 'a receiver that comes back gets everything of the pause, unasked',
    caughtBy: { file: subscription, title: 'after a pause starts from now' },
  },
  {
    name: 'resume-ignored',
    file: 'actors/webhook-subscription/commands.ts',
    from: "(row.state === 'Unsubscribed' && body.resume !== true);",
    to: "row.state === 'Unsubscribed';",
    breaks: 'a receiver that asked for the events of the pause never gets them',
    caughtBy: { file: subscription, title: 'with resume goes on from where it stood' },
  },
  {
    name: 'webhook-cursor-one-too-far',
    file: 'src/dispatch/webhooks/window.ts',
    from: 'this.#cursor = this.#entries[passed - 1]!.position;',
    to: 'this.#cursor = (this.#entries[passed] ?? this.#entries[passed - 1]!).position;',
    breaks: 'an event that was not delivered is never sent after a restart',
    caughtBy: { file: sending, title: 'a restart sends nothing again that was recorded' },
    simulation: 'notices',
  },
  {
    name: 'ahead-ignored',
    file: 'src/dispatch/webhooks/backlog.ts',
    from: 'new FeedWindow(work.cursor, work.ahead)',
    to: 'new FeedWindow(work.cursor, [])',
    breaks: 'a restart sends again what was delivered ahead of a slow lane',
    caughtBy: { file: sending, title: 'a restart sends nothing again that was recorded' },
  },
  {
    name: 'two-of-a-lane-at-once',
    file: 'src/dispatch/webhooks/lane-table.ts',
    from: '!lane.busy && lane.unrecorded === 0 && !lane.headOutdated;',
    to: 'lane.unrecorded === 0 && !lane.headOutdated;',
    breaks: 'events of a conversation arrive in any order',
    caughtBy: { file: sending, title: 'an event that comes during a call waits for its end' },
    simulation: 'notices',
  },
  {
    name: 'event-overtakes-a-failed-one',
    file: 'src/dispatch/webhooks/lane-table.ts',
    from: 'lane.head !== null || lane.unrecorded > 0 || lane.headOutdated;',
    to: 'lane.head !== null && lane.unrecorded > 0;',
    breaks: 'later events of a conversation arrive before one that is tried again',
    caughtBy: {
      file: 'test/dispatch/webhooks-runner.test.ts',
      title: 'what comes for a lane that waits is put behind, unsent',
    },
    simulation: 'notices',
  },
  {
    name: 'released-without-being-held',
    file: 'actors/webhook-subscription/deliveries.ts',
    from: "if (!this.#touched.has(row.feed_key)) this.step(row, { type: 'release' });",
    to: "this.step(row, { type: 'release' });",
    breaks: 'a wait that has just begun is cut short',
    caughtBy: { file: subscription, title: 'a wait that begins with the success is not cut short' },
  },
  {
    name: 'gone-not-obeyed',
    file: 'src/dispatch/webhooks/attempt.ts',
    from: "if (status === 410) return { kind: 'gone' };",
    to: '',
    breaks: 'a receiver that is gone for good is called for days',
    caughtBy: { file: failing, title: '410 unsubscribes' },
  },
  {
    name: 'delivery-signed-over-another-body',
    file: 'src/dispatch/webhooks/signing.ts',
    from: 'const content = `${id}.${timestamp}.`;',
    to: 'const content = `${timestamp}.`;',
    breaks: 'no receiver can verify a delivery',
    caughtBy: { file: signing, title: 'a whsec_ key verifies with standardwebhooks' },
  },
  {
    name: 'key-before-dropped-at-once',
    file: 'src/dispatch/webhooks/signing.ts',
    from: 'const standard = keys.map(standardKey);',
    to: 'const standard = keys.slice(0, 1).map(standardKey);',
    breaks: 'receivers refuse deliveries while a key is rotated',
    caughtBy: { file: signing, title: 'while keys overlap, both verify' },
  },
  {
    name: 'retry-after-of-a-receiver-ignored',
    file: 'src/dispatch/webhooks/attempt.ts',
    from: "if (retryAfter !== null) return { kind: 'throttled', retryAfter: Math.max(shortestThrottle, retryAfter) };",
    to: '',
    breaks: 'a receiver that asks for a pause gets none',
    caughtBy: { file: failing, title: '429 with Retry-After holds the receiver back so long' },
  },
  {
    name: 'record-of-an-older-generation-taken',
    file: 'actors/webhook-subscription/commands.ts',
    from: 'const current = body.generation === row.generation;',
    to: 'const current = body.generation > 0;',
    breaks: 'a replay is undone by a record that was on its way',
    caughtBy: { file: deliveries, title: 'a record of another generation moves no cursor' },
  },
  {
    name: 'delivery-never-dead',
    file: 'state-machines/webhook-delivery.ts',
    from: "{ target: '#webhook-delivery.dead', actions: 'countFailure' },",
    to: "{ target: 'backingOff', actions: 'countFailure' },",
    breaks: 'a lane is stuck for ever behind one delivery',
    caughtBy: { file: deliveries, title: 'eight failures, waits between them, then it is dead' },
  },
  {
    name: 'one-receiver-takes-every-permit',
    file: 'src/dispatch/webhooks/permits.ts',
    from: 'if (held >= permitsOfOne || this.#free === 0 || (held > 0 && held * 3 >= this.#free)) {',
    to: 'if (this.#free === 0) {',
    breaks: 'a slow receiver delays every other one',
    caughtBy: { file: sending, title: 'at most 64 calls of a subscription are under way' },
  },
  {
    name: 'two-runners-after-a-retake',
    file: 'src/dispatch/webhooks/webhook-dispatcher.ts',
    from: ' || this.#leaving.has(work.id)',
    to: '',
    breaks: 'what is under way when a shard comes back is sent once more',
    caughtBy: {
      file: 'test/dispatch/webhooks-owned.test.ts',
      title: 'what is under way is not sent again after a retake',
    },
    simulation: 'notices with two nodes',
  },
  {
    name: 'late-record-takes-progress-back',
    file: 'actors/webhook-subscription/progress.ts',
    from: 'Math.max(place, other.cursor[shard] ?? 0)',
    to: '(other.cursor.length > shard ? place : 0)',
    breaks: 'a subscriber gets again what another node has delivered since',
    caughtBy: {
      file: 'test/actors/webhook-deliveries.test.ts',
      title: 'a late record of another runner takes no progress back',
    },
  },
  {
    name: 'late-failure-reopens',
    file: 'actors/webhook-subscription/commands.ts',
    from: "if (outcome.kind !== 'delivered' && isKnown(ref) && deliveries.isOver(ref)) deliveries.noted(ref, attempt);",
    to: 'if (isKnown(ref) && ref.feedKey < 0) deliveries.noted(ref, attempt);',
    breaks: 'what one node has delivered is sent again, as another could not',
    caughtBy: {
      file: 'test/actors/webhook-deliveries.test.ts',
      title: 'a late failure reopens nothing that is over',
    },
  },
];
