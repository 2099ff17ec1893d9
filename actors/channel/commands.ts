import { Failure } from '../errors.ts';
import { merged, objectAt, parseJson } from '../json.ts';
import { metadataText } from '../metadata.ts';
import type { ChannelJson, JsonObject } from '../representation.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import type { ChannelCommands, ChannelConnect } from './contract.ts';
import type { ChannelReads } from './reads.ts';
import { channelJson } from './representation.ts';
import type { ChannelRow } from './tables.ts';

type ChannelRuntime = Runtime<ChannelRow, null, ChannelReads, 'channel'>;

export const channelHandlers: Handlers<ChannelRuntime, ChannelCommands> = {
  'channel.connect'(runtime, body) {
    const { row, actor, now, reads } = runtime;
    if (body.sourceId !== undefined && reads.sourceState(body.sourceId) === 'deleted') {
      throw new Failure('unauthorized', 'The source was deleted.');
    }
    runtime.save({
      ...(actor.isNew && { source: body.source, source_channel_id: body.sourceChannelId, created_at: now }),
      source_id: body.sourceId ?? row.source_id,
      token: body.token ?? row.token,
      metadata: metadataText(connectedMetadata(row, body)),
      connected: 1,
    });
    return { channel: stepAndAnnounce(runtime, { type: 'connect' }) };
  },

  'channel.disconnect'(runtime, body) {
    mustBeKnown(runtime, 'channel_unknown');
    if (body !== null && wasConnectedAnew(runtime, body.lastTurn)) return { channel: channelJson(runtime.row) };
    if (runtime.row.connected === 1) runtime.save({ connected: 0 });
    return { channel: stepAndAnnounce(runtime, { type: 'disconnect' }) };
  },

  'channel.update'(runtime, { name, imageUrl }) {
    mustBeKnown(runtime, 'not_found');
    const metadata = merged(metadataOf(runtime.row), {
      ...(name !== undefined && { name }),
      ...(imageUrl !== undefined && { image_url: imageUrl }),
    });
    runtime.save({ metadata: metadataText(metadata) });
    return { channel: stepAndAnnounce(runtime, { type: 'update' }) };
  },

  'metadata.upsert'(runtime, { data }) {
    mustBeKnown(runtime, 'not_found');
    const metadata = metadataOf(runtime.row);
    const changed = { ...metadata, user_data: merged(objectAt(metadata, 'user_data'), data) };
    runtime.save({ metadata: metadataText(changed) });
    runtime.emit('metadata.updated', { subject: 'channel', identifier: runtime.actor.id, metadata: changed });
    stepAndAnnounce(runtime, { type: 'update' });
    return null;
  },
};

const metadataOf = (row: Readonly<ChannelRow>): JsonObject => parseJson(row.metadata) as JsonObject;

const connectedMetadata = (row: Readonly<ChannelRow>, body: ChannelConnect): JsonObject => ({
  ...merged(metadataOf(row), body.metadata ?? {}),
  name: body.name,
  ...(body.imageUrl !== undefined && { image_url: body.imageUrl }),
});

/** Whether a source that was created anew has connected the channel after the deletion that saw `lastTurn`. */
const wasConnectedAnew = ({ row, reads }: ChannelRuntime, lastTurn: number): boolean =>
  row.last_turn !== lastTurn && row.source_id !== null && reads.sourceState(row.source_id) === 'there';

/** @throws Failure with the code that the operation's specification gives for a channel that never was */
function mustBeKnown({ actor }: ChannelRuntime, code: 'channel_unknown' | 'not_found'): void {
  if (actor.isNew) throw new Failure(code, `There is no channel ${actor.id}.`);
}

function stepAndAnnounce(runtime: ChannelRuntime, event: { type: 'connect' | 'disconnect' | 'update' }): ChannelJson {
  runtime.signal('sources');
  for (const effect of runtime.step(event).effects) {
    if (effect.type === 'forgetToken') runtime.save({ token: null });
    if (effect.type === 'announce') runtime.emit('channel.updated', { ...channelJson(runtime.row) });
  }
  return channelJson(runtime.row);
}
