import { describe } from 'vitest';
import * as rules from './connectors.ts';
import { file, hold, type RuleCase } from './hold.ts';

const cases: RuleCase[] = [
  [
    'keeps connectors apart from the HTTP app, store and bus',
    rules.connectorsKnowLittle,
    [
      file('src/connectors/letters/a.ts', "import type { Call } from '#src/http/operation.ts';"),
      file('src/connectors/letters/b.ts', "import type { StoreReader } from '#actors/store-reader.ts';"),
      file('src/connectors/letters/c.ts', "import type { Bus } from '#actors/ports.ts';"),
      file('src/connectors/letters/d.ts', "import type { Services } from '../../services.ts';"),
      file('src/connectors/letters/e.ts', "import { request } from 'node:https';"),
      file('src/connectors/letters/f.ts', "import { ingest } from '#src/ingest/ingest.ts';"),
      file('src/connectors/letters/connector.ts', "import { stamps } from '../stamps/connector.ts';"),
      file('src/connectors/stamps/connector.ts', "import { a } from '../letters/a.ts';"),
      file('src/connectors/post/a.ts', "import { a } from '../letters/a.ts';"),
      file('src/connectors/post/b.ts', "import { a } from '../paper/a.ts';"),
      file('src/connectors/paper/a.ts', "import { request } from 'node:https';"),
    ],
    [
      file('src/connectors/letters/connector.ts', "import type { Connector } from '../connector.ts';"),
      file('src/connectors/letters/b.ts', "import { a } from './a.ts';", "import { createHmac } from 'node:crypto';"),
      file('src/connectors/letters/c.ts', "import { stamp } from '../post/a.ts';"),
      file('src/connectors/post/a.ts', "import { objectIn } from '../outcome.ts';", "import { b } from './b.ts';"),
    ],
  ],
  [
    'lists every connector, and holds it to the suite',
    rules.connectorsAreListed,
    [
      file('src/connectors/letters/connector.ts', "import { stamp } from '../post/stamp.ts';"),
      file('src/connectors/parcels/', "export const parcels = { name: 'parcels' };"),
      file('src/connectors/post/', 'export const stamp = 1;'),
    ],
    [
      file('src/connectors/letters/connector.ts', "import { stamp } from '../post/stamp.ts';"),
      file('src/connectors/parcels/connector.ts', "import { stamp } from '../post/stamp.ts';"),
      file('src/connectors/post/stamp.ts', 'export const stamp = 1;'),
      file('src/connectors/registry.ts', ...['letters', 'parcels'].map((name) => `import './${name}/connector.ts';`)),
      file('test/connectors/letters/conformance.test.ts', "conformance('letters', specimen);"),
      file('test/connectors/parcels/conformance.test.ts', "conformance('parcels', specimen);"),
    ],
  ],
  [
    'names connectors in their folders and the registry only',
    rules.connectorsHaveOneHome,
    [
      file('src/connectors/letters/connector.ts', "import { b } from '../stamps/connector.ts';"),
      file('src/connectors/stamps/connector.ts', "const sources = ['stamps', 'letters.air'];"),
      file('src/http/a.ts', "import { letters } from '#src/connectors/letters/a.ts';"),
      file('src/dispatch/a.ts', "if (source === 'letters') run();"),
      file('test/http/a.test.ts', "import { letters } from '#src/connectors/letters/a.ts';"),
      file('src/http/b.ts', "import { stamp } from '../connectors/post/stamp.ts';"),
      file('src/connectors/registry.ts', "import { stamp } from './post/stamp.ts';"),
      file('src/connectors/post/stamp.ts', "if (source === 'letters') run();"),
    ],
    [
      file('src/connectors/letters/connector.ts', "export const letters = { name: 'letters' };"),
      file('src/connectors/letters/b.ts', "import { stamp } from '../post/stamp.ts';"),
      file('src/connectors/post/stamp.ts', 'export const stamp = 1;'),
      file('test/connectors/post/stamp.test.ts', "import { stamp } from '#src/connectors/post/stamp.ts';"),
      file('src/connectors/registry.ts', "import { letters } from './letters/a.ts';"),
      file('test/connectors/letters/a.test.ts', "import { letters } from '#src/connectors/letters/a.ts';"),
      file('src/http/channels/letters/air/connect.ts', "const source = 'letters.air';"),
      file('src/connectors/custom/a.ts', "export const custom = 'custom';"),
      file('src/http/a.ts', "context.addIssue({ code: 'custom' });"),
    ],
  ],
  [
    'lets doubles know the platforms alone',
    rules.doublesStandAlone,
    [
      file('src/doubles/letters.ts', "import { signatureOf } from '../connectors/letters/signature.ts';"),
      file('src/doubles/stamps.ts', "import type { Config } from '#src/config/config.ts';"),
    ],
    [
      file('src/doubles/letters.ts', "import { sign } from 'a-signer';", "import { wire } from './wire.ts';"),
      file('src/cli/commands/simulate.ts', "import { startDouble } from '#src/doubles/server.ts';"),
    ],
  ],
  [
    'gives connectors no clock, chance or memory of their own',
    rules.connectorsUseWhatTheyAreGiven,
    [
      file('src/connectors/letters/a.ts', 'await fetch(url);'),
      file('src/connectors/letters/b.ts', 'const sentAt = Date.now();'),
      file('src/connectors/letters/c.ts', "const limit = Number(process.env['LIMIT']);"),
      file('src/connectors/letters/d.ts', 'const seen = new Map<string, number>();'),
      file('src/connectors/letters/e.ts', 'let count = 0;'),
    ],
    [
      file('src/connectors/letters/a.ts', 'const sentAt = Date.parse(at);', "const words = new Set(['sent', 'seen']);"),
      file('src/connectors/letters/b.ts', 'function read() {', '  const seen = new Set();', '}'),
      file('src/http/a.ts', 'let n = Date.now();'),
    ],
  ],
  [
    'compares signatures in constant time',
    rules.signaturesAreComparedInConstantTime,
    [file('src/connectors/letters/a.ts', 'const route = { verify: ({ url }) => url.search === wanted };')],
    [
      file('src/connectors/letters/a.ts', 'const route = { verify: isSigned };'),
      file('src/connectors/letters/b.ts', 'const isSigned = () => timingSafeEqual(given, wanted);'),
      file('src/connectors/stamps/a.ts', 'export const stamps = { routes: [] };'),
    ],
  ],
  [
    'names built-in sources where they have their home',
    rules.sourcesHaveOneHome,
    [
      file('src/ingest/a.ts', "if (source === 'photoplatform') run();"),
      file('src/http/messages/b.ts', 'const canStart = /^(?:telco|cloudmsg)/.test(source);'),
      file('src/http/channels/c.ts', "const path = '/channels.telco.sms.connect';"),
    ],
    [
      file('src/config/a.ts', 'const { telco } = sources;'),
      file('src/connectors/registry.ts', "import { telcoConnector } from './telco/connector.ts';"),
      file('src/doubles/telco.ts', "const sources = ['telco.sms'];"),
      file('src/connectors/meta/a.ts', "const sources = ['pageplatform', 'photoplatform'];"),
      file('src/http/channels/telco/sms/connect.ts', "const path = '/channels.telco.sms.connect';"),
      file('src/http/chatplugin/send.ts', "const path = '/chatplugin.send';"),
    ],
  ],
];

describe('connectors', () => {
  hold(cases);
});
