import { runtimeCommands } from '#actors/runtime/runtime-commands.ts';
import {
  ActorSystem,
  type ActorSystemOptions,
  connectTestChannel,
  conversationOf,
  ingestOf,
} from '../_support/actor-system.ts';
import { envelopeFor, RecordingLog, request, rowsOf, uuid, withHandlers } from './support.ts';

export const ann = conversationOf('ann');

/** A system whose conversations have a command that throws while `broken.now`, after it has stepped, saved and emitted. */
export async function brokenSystem(options: ActorSystemOptions = {}) {
  const log = new RecordingLog();
  const broken = { now: true };
  const kinds = withHandlers({
    'test.count'(runtime) {
      runtime.step({ type: 'read' });
      runtime.save({ unread_count: 0 });
      runtime.emit('conversation.updated', { counted: true });
      if (broken.now) throw new TypeError('a defect');
      return { counted: true };
    },
    'test.misfit'(runtime) {
      if (broken.now) {
        const message = rowsOf(system.file).message[0]!;
        runtime.change({ table: 'conversation', op: 'delete', key: runtime.actor.key });
        runtime.change({ table: 'message', op: 'insert', row: { ...message, id: uuid() } as never });
      }
      return null;
    },
  });
  const system = new ActorSystem({ kinds, log, ...options });
  await connectTestChannel(system.commands());
  await system.commands().send('conversation', ann, 'messages.ingest', ingestOf('ann', ['hi']));
  return { system, broken, log };
}

/** Handles the dead letter of a command of Ann's again. @returns the answer */
export const redriven = (system: ActorSystem, commandId: string) =>
  request(system, envelopeFor(system, 'conversation', ann, runtimeCommands.redrive, { commandId }));
