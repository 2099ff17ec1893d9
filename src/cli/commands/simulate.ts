import { Command, InvalidArgumentError, Option } from 'commander';
import type { Behaviour } from '#src/doubles/behaviour.ts';
import type { RunningDouble } from '#src/doubles/server.ts';
import { simulatedSources } from '#src/doubles/sources.ts';
import { type HubFacts, type HubFlags, hubFacts } from '../simulate/hub-facts.ts';
import { introductionOf } from '../simulate/introduction.ts';
import { parsePort } from './serve.ts';

type SimulateFlags = HubFlags & Partial<Behaviour> & { json?: true; untilInputEnds?: true };

const sources = simulatedSources.map(({ source }) => source);
const [first, , , , example] = sources;

const examples = `
The double listens where the hub's apiBase says, if that is on this machine. Without a configuration of the source it
makes credentials, and prints the lines for parley.yaml. Its contacts are those who wrote since it was started.

Examples:
  parley simulate ${example}
  parley simulate ${first} --duplicates --reorder --late-receipts 2000
  parley simulate ${example} --fail 0.1 --throttle 5 --hang 0.01
  parley simulate ${example} --hub http://127.0.0.1:8080 --credential accountSid=AC… --credential authToken=…`;

function parseShare(text: string): number {
  const share = Number(text);
  if (!/^[\d.]+$/.test(text) || !(share <= 1)) throw new InvalidArgumentError('A share is a number from 0 to 1.');
  return share;
}

function parseMilliseconds(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('Use a whole number of milliseconds.');
  return Number(text);
}

function parseRate(text: string): number {
  if (!/^[\d.]+$/.test(text) || !(Number(text) > 0)) throw new InvalidArgumentError('A rate is a number above 0.');
  return Number(text);
}

function parseCredential(text: string, known: Map<string, string>): Map<string, string> {
  const [, key, value] = /^(\w+)=(.+)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('Use <key=value>.');
  return new Map(known).set(key, value);
}

/** Ends when the user presses Ctrl-C, or the process is asked to end; with its input, where that is asked for. */
const ended = (withInput: boolean): Promise<unknown> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
    if (withInput) process.stdin.once('end', resolve).once('error', resolve).resume();
  });

/** The flags of behaviour alone. */
const behaviourOf = ({ duplicates, reorder, lateReceipts, fail, throttle, hang }: SimulateFlags): Partial<Behaviour> =>
  Object.fromEntries(
    Object.entries({ duplicates, reorder, lateReceipts, fail, throttle, hang }).filter(
      ([, value]) => value !== undefined,
    ),
  );

/** Credentials that the hub has already are not shown again. */
function shown(source: string, { url, introduction }: RunningDouble, facts: HubFacts): object {
  const { configuration, ...others } = introduction;
  const isNew = facts.credentials === null;
  return { source, url, hub: facts.hub.url, ...others, ...(isNew && { configuration }) };
}

async function simulate(source: string, flags: SimulateFlags): Promise<void> {
  const simulated = simulatedSources.find((one) => one.source === source);
  if (!simulated) throw new Error(`there is no double of ${source}; there are ${sources.join(', ')}`);
  const facts = hubFacts(simulated, flags);
  // Loaded when it is needed: a hub's own process has no use for it.
  const [{ startDouble }, { makeDouble }] = await Promise.all([
    import('#src/doubles/server.ts'),
    import('#src/doubles/platforms.ts'),
  ]);
  await using double = await startDouble({
    ...{ port: facts.port, hub: facts.hub, behaviour: behaviourOf(flags) },
    make: (tools) => makeDouble(simulated, facts.credentials, tools),
  });
  if (flags.json) process.stdout.write(`${JSON.stringify(shown(source, double, facts))}\n`);
  else process.stdout.write(introductionOf(source, double, facts));
  await ended(flags.untilInputEnds === true);
}

export function simulateCommand(): Command {
  return new Command('simulate')
    .description('run a double of a platform: its API, signed webhooks, receipts, errors, limits')
    .argument('<source>', `one of ${sources.join(', ')}`)
    .option('--port <number>', 'port of the double; 0: any free port', parsePort)
    .option('--hub <url>', 'address of the hub (default: where the configuration has it listen)')
    .option('--config <file>', 'configuration of the hub (default: parley.yaml of the workspace)')
    .option('--credential <key=value>', 'credential of the source, as in parley.yaml', parseCredential, new Map())
    .option('--duplicates', 'every webhook comes twice')
    .option('--reorder', 'webhooks come in another order than things happened')
    .option('--late-receipts <ms>', 'how long each report of a message takes', parseMilliseconds)
    .option('--fail <share>', 'share of messages that are refused, 0 to 1', parseShare)
    .option('--throttle <per second>', 'more messages than that a second are throttled', parseRate)
    .option('--hang <share>', 'share of messages that are never answered, 0 to 1', parseShare)
    .option('--json', 'print JSON')
    .addOption(new Option('--until-input-ends', 'end with the standard input').hideHelp())
    .addHelpText('after', examples)
    .action(async (source: string, _options, command: Command) => {
      await simulate(source, command.optsWithGlobals<SimulateFlags>());
    });
}
