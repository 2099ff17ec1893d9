import { defineKind } from '../runtime/kind.ts';
import { mediaHandlers } from './commands.ts';
import type { MediaCommands } from './contract.ts';
import { mediaReader } from './reader.ts';
import { media } from './tables.ts';

/** A file that somebody gave the hub to show: named by its content, which lies beside the database. */
export const mediaKind = defineKind<MediaCommands>()({
  name: 'media',
  machine: null,
  table: media,
  blank: { sha256: '', bytes: 0, type: '', name: '', created_at: 0, stored: null, erased: null },
  reads: () => null,
  load: () => null,
  handlers: mediaHandlers,
  readers: { media: mediaReader },
});
