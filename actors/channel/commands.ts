import { merged, objectAt } from '../json.ts';
import type { ChannelJson, JsonObject } from '../representation.ts';
import { type CommandHandler, defineActor, type Runtime } from '../runtime/definition.ts';
import { Failure } from '../errors.ts';
import type { Rows } from '../store/tables.ts';
import type { ChannelCommands, ChannelConnect } from './contract.ts';
import { channelJson } from './representation.ts';

interface ChannelMemory {
  /** Null until the first connect. */
  row: Rows['channel'] | null;
}

type ChannelRuntime = Runtime<ChannelMemory>;

type Handlers = {
  [T in keyof ChannelCommands]: CommandHandler<ChannelMemory, ChannelCommands[T]['body'], ChannelCommands[T]['result']>;
};

const handlers: Handlers = {
  'channel.connect'(runtime, body) {
    const { row } = runtime.memory;
    const columns = {
      source_id: body.sourceId ?? row?.source_id ?? null,
      token: body.token ?? row?.token ?? null,
      metadata: JSON.stringify(connectedMetadata(row, body)),
      connected: 1,
    };
    if (row === null) create(runtime, body, columns);
    else save(runtime, row, columns);
    return { channel: stepAndAnnounce(runtime, { type: 'connect' }) };
  },

  'channel.disconnect'(runtime) {
    const row = known(runtime, 'channel_unknown');
    if (row.connected === 1) save(runtime, row, { connected: 0 });
    return { channel: stepAndAnnounce(runtime, { type: 'disconnect' }) };
  },

  'channel.update'(runtime, { name, imageUrl }) {
    const row = known(runtime, 'not_found');
    const metadata = JSON.parse(row.metadata) as JsonObject;
    save(runtime, row, {
      metadata: JSON.stringify({
        ...metadata,
        ...(name !== undefined && { name }),
        ...(imageUrl !== undefined && { image_url: imageUrl }),
      }),
    });
    return { channel: stepAndAnnounce(runtime, { type: 'update' }) };
  },

  'metadata.upsert'(runtime, { data }) {
    const row = known(runtime, 'not_found');
    const metadata = JSON.parse(row.metadata) as JsonObject;
    const changed = { ...metadata, user_data: merged(objectAt(metadata, 'user_data'), data) };
    save(runtime, row, { metadata: JSON.stringify(changed) });
    runtime.emit('metadata.updated', { subject: 'channel', identifier: row.id, metadata: changed });
    stepAndAnnounce(runtime, { type: 'update' });
    return null;
  },
};

function connectedMetadata(row: Rows['channel'] | null, body: ChannelConnect): JsonObject {
  const before = row === null ? {} : (JSON.parse(row.metadata) as JsonObject);
  return {
    ...merged(before, body.metadata ?? {}),
    name: body.name,
    ...(body.imageUrl !== undefined && { image_url: body.imageUrl }),
  };
}

type ConnectColumns = Pick<Rows['channel'], 'source_id' | 'token' | 'metadata' | 'connected'>;

function create(runtime: ChannelRuntime, body: ChannelConnect, columns: ConnectColumns): void {
  const row: Rows['channel'] = {
    key: runtime.actor.key,
    id: runtime.actor.id,
    source: body.source,
    source_channel_id: body.sourceChannelId,
    created_at: runtime.now,
    ...columns,
  };
  runtime.change({ table: 'channel', op: 'insert', row });
  runtime.memory.row = { ...row };
}

function save(runtime: ChannelRuntime, row: Rows['channel'], columns: Partial<Rows['channel']>): void {
  Object.assign(row, columns);
  runtime.change({ table: 'channel', op: 'update', key: row.key, row: columns });
}

/** @throws Failure with the code that the operation's specification gives for a channel that never was */
function known(runtime: ChannelRuntime, code: 'channel_unknown' | 'not_found'): Rows['channel'] {
  const { row } = runtime.memory;
  if (row === null) throw new Failure(code, `There is no channel ${runtime.actor.id}.`);
  return row;
}

function stepAndAnnounce(runtime: ChannelRuntime, event: { type: 'connect' | 'disconnect' | 'update' }): ChannelJson {
  const row = runtime.memory.row!;
  for (const effect of runtime.step(event).effects) {
    if (effect.type === 'forgetToken') save(runtime, row, { token: null });
    if (effect.type === 'announce') runtime.emit('channel.updated', { ...channelJson(row) });
  }
  return channelJson(row);
}

/** One connection to one account on a source. */
export const channelDefinition = defineActor<ChannelMemory>({
  kind: 'channel',
  machine: 'channel',
  load: (reads, key) => ({ row: reads.channel(key) }),
  handlers,
});
