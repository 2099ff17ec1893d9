import { describe } from 'vitest';
import { file, hold, type RuleCase } from './hold.ts';
import * as rules from './kinds.ts';

const cases: RuleCase[] = [
  [
    'names kinds of actors in their list alone',
    rules.kindsHaveOneHome,
    [
      file('actors/journal/a.ts', "const followed = 'channel';"),
      file('actors/store/b.ts', "import type { L } from '../channel/tables.ts';"),
      file('actors/runtime/c.ts', "if (type === 'messages.ingest') run();"),
      file('actors/journal/d.ts', "db.prepare('SELECT key FROM webhook_delivery');"),
      file('actors/words.ts', "import type { ChannelRow } from './channel/tables.ts';"),
      file('src/runtime/e.ts', "if (kind === 'channel') run();"),
    ],
    [
      file('actors/channel/kind.ts', "export const channelKind = { name: 'channel' };"),
      file('actors/kinds.ts', "import { channelKind } from './channel/kind.ts';"),
      file('actors/words.ts', "import { keysPerShard } from './store/table.ts';"),
      file('actors/store/migrations/a.ts', "export const a = 'UPDATE channel SET name = id';"),
      file('src/http/channels/a.ts', "commands.send('channel', id, 'channel.update', body);"),
      file('src/node/remembered.ts', "const kinds = ['channel'];"),
      file('src/runtime/a.ts', "import type { WebhookReader } from '#actors/webhook-subscription/reader.ts';"),
    ],
  ],
  [
    'lists every kind of actors',
    rules.kindsAreListed,
    [file('actors/letter/kind.ts', 'export const letterKind = {};')],
    [
      file('actors/card/kind.ts', 'export const cardKind = {};'),
      file('actors/kinds.ts', "import { cardKind } from './card/kind.ts';"),
    ],
  ],
  [
    'lets kinds meet in what they show',
    rules.kindsMeetInWhatTheyShow,
    [
      file('actors/letter/commands.ts', "import { channelHandlers } from '../channel/commands.ts';"),
      file('actors/letter/reads.ts', "import type { ChannelReads } from '../channel/reads.ts';"),
      file('actors/letter/kind.ts', "import { channelKind } from '#actors/channel/kind.ts';"),
    ],
    [
      file('actors/letter/commands.ts', "import { channelActor } from '../channel/contract.ts';"),
      file('actors/letter/reads.ts', "import { channels } from '../channel/tables.ts';"),
      file('actors/letter/reader.ts', "import { messageReader } from '../conversation/message-reader.ts';"),
      file('actors/letter/kind.ts', "import { letterReads } from './reads.ts';"),
      file('actors/kinds.ts', "import { channelKind } from './channel/kind.ts';"),
    ],
  ],
  [
    'leaves the rows of a kind to its own actors',
    rules.rowsHaveOneWriter,
    [
      file(
        'actors/letter/commands.ts',
        "import { type ChannelRow, channels } from '../channel/tables.ts';",
        'runtime.change(channels.update(key, { connected: 0 }));',
      ),
    ],
    [
      file('actors/letter/reads.ts', "import { channels } from '../channel/tables.ts';", 'channels.query(db, tail);'),
      file('actors/letter/a.ts', "import { letters } from './tables.ts';", 'change(letters.remove(key));'),
      file('actors/letter/b.ts', "import { outbox } from '../store/tables.ts';", 'change(outbox.remove(key));'),
    ],
  ],
  [
    'keeps clock and chance out of the kinds',
    rules.handlersAreRepeatable,
    [
      file('actors/letter/a.ts', 'runtime.save({ at: Date.now() });'),
      file('actors/letter/b.ts', 'const at = new Date();'),
      file('actors/letter/c.ts', 'const id = randomUUID();'),
      file('actors/letter/d.ts', 'setTimeout(run, 10);'),
    ],
    [
      file('actors/letter/a.ts', 'const at = Date.parse(text);', 'const day = new Date(now);'),
      file('actors/runtime/a.ts', 'const name = randomUUID();'),
    ],
  ],
];

describe('kinds of actors', () => {
  hold(cases);
});
