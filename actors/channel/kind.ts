import { defineKind } from '../runtime/kind.ts';
import { channelHandlers } from './commands.ts';
import type { ChannelCommands } from './contract.ts';
import { channelReader } from './reader.ts';
import { channelReads } from './reads.ts';
import { channels } from './tables.ts';

/** One connection to one account on a source. */
export const channelKind = defineKind<ChannelCommands>()({
  name: 'channel',
  machine: 'channel',
  table: channels,
  blank: {
    source: '',
    source_channel_id: '',
    source_id: null,
    connected: 0,
    token: null,
    metadata: '{}',
    created_at: 0,
  },
  reads: channelReads,
  load: () => null,
  handlers: channelHandlers,
  readers: { channels: channelReader },
});
