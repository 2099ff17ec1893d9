import type { CommandSender } from '#actors/commands.ts';
import type { Envelope } from '#actors/runtime/envelope.ts';
import { shardOf } from '#actors/runtime/shard.ts';
import { commandSenders } from '#src/runtime/command-sender.ts';
import { SystemIds } from '#src/runtime/system.ts';
import { conversationOf } from '../../_support/actor-system.ts';
import { envelopeFor, originOf, uuid } from '../support.ts';
import type { Cluster } from './node.ts';

/** A contact whose conversation is in a shard; `nth` of them, from 0. */
export function contactIn(shard: number, nth = 0, shards = 2): string {
  let left = nth;
  for (let n = 0; ; n++) if (shardOf(conversationOf(`c${n}`), shards) === shard && left-- === 0) return `c${n}`;
}

/** The command that starts a conversation by a message of ours. */
export const starting = (cluster: Cluster, contact: string): Envelope =>
  envelopeFor(cluster, 'conversation', conversationOf(contact), 'message.send', {
    messageId: uuid(),
    content: { text: `to ${contact}` },
    sender: { id: 'test:agent' },
    origin: originOf(contact),
  });

/** A command of a conversation that exists. */
export const settingState = (cluster: Cluster, contact: string, state: 'OPEN' | 'CLOSED' = 'OPEN'): Envelope =>
  envelopeFor(cluster, 'conversation', conversationOf(contact), 'conversation.set-state', { state });

/** A sender that tries again as every part of the hub does. */
export const commandsOf = ({ bus, clock, shards }: Cluster): CommandSender =>
  commandSenders({ bus, clock, ids: new SystemIds(), shards })({ cause: 'test' });

/** Lets promises and the next turn of the host happen, without time. */
export async function rest(turns = 10): Promise<void> {
  for (let n = 0; n < turns; n++) await new Promise(setImmediate);
}

/** Lets time go by until something holds. */
export async function until({ clock }: Cluster, fact: () => boolean, step = 50, steps = 400): Promise<void> {
  for (let n = 0; !fact(); n++) {
    if (n === steps) throw new Error('it did not come about');
    clock.advance(step);
    await rest(3);
  }
}

/** Sends a command as every part of the hub does, through what passes; its result. */
export async function answered(cluster: Cluster, { actor, type, body }: Envelope): Promise<unknown> {
  const sent = commandsOf(cluster).send(actor.kind as 'conversation', actor.id, type as 'message.send', body as never);
  let done = false;
  const noticed = (): void => {
    done = true;
  };
  sent.then(noticed, noticed);
  await until(cluster, () => done);
  return sent;
}
