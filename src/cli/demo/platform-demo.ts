import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isLoopback } from '#src/config/loopback.ts';
import { type SimulatedSource, simulatedSources } from '#src/doubles/sources.ts';
import { type ApiClient, ApiError } from '../api-client.ts';
import { type DemoDouble, startDemoDouble } from './double-process.ts';
import { contactName, playLines, type Stage } from './play.ts';

type Print = Stage['print'];

interface Listed {
  name: string;
  installationStatus: string;
}

const waitMs = 10_000;
const pollEveryMs = 50;

/**
 * Plays a conversation between a contact of a platform, whose double runs for as long as that, and an agent.
 * @param source one of `simulatedSources`
 * @param flags that name the hub, for the double
 * @param interrupted ends the demo early, cleaned up as well
 * @throws Error when a step fails, with what to do about it where that is known
 */
export async function runPlatformDemo(
  client: ApiClient,
  source: string,
  flags: readonly string[],
  print: Print,
  interrupted: AbortSignal,
): Promise<void> {
  const simulated = simulatedSources.find((one) => one.source === source);
  if (!simulated) throw new Error(`there is no double of ${source}; there are ${namesOf(simulatedSources)}`);
  const isConfigured = await hasDouble(client, simulated);
  await using double = await startDemoDouble([source, '--hub', client.endpoint, ...flags, ...portOf(isConfigured)]);
  if (isConfigured && double.configuration) throw new Error(configuredElsewhere(simulated));
  print(`A double of ${source} answers at ${double.url}.`);
  await using cleaning = new AsyncDisposableStack();
  if (!isConfigured) cleaning.defer(await configured(client, simulated, double, print));
  const { id } = await client.call<{ id: string }>(double.connect.operation, double.connect.body);
  cleaning.defer(() => cleanUp(print, () => client.call(`channels.${source}.disconnect`, { channel_id: id })));
  print(`Its account ${double.account} is connected.\n`);
  await play({ client, print, interrupted }, double, id);
}

/** Of what was set through the API the credentials are not shown, and the double can not know them. */
const configuredElsewhere = ({ component }: SimulatedSource): string =>
  `the hub has credentials for components.sources.${component} that parley.yaml does not have: ` +
  `write them there, or call components.delete with sources-${component}`;

const namesOf = (sources: readonly SimulatedSource[]): string => sources.map(({ source }) => source).join(', ');

/** A hub that has no double yet gets one at any port; else it listens where the hub calls. */
const portOf = (isConfigured: boolean): string[] => (isConfigured ? [] : ['--port', '0']);

/** Whether the hub calls a double already. @throws Error when it calls the platform itself */
async function hasDouble(client: ApiClient, { component }: SimulatedSource): Promise<boolean> {
  const { components } = await client.call<{ components: { sources: Record<string, { apiBase?: string }> } }>(
    'components.get',
  );
  const configuration = components.sources[component];
  if (configuration === undefined) return false;
  if (isLoopback(URL.parse(configuration.apiBase ?? '')?.hostname ?? '')) return true;
  throw new Error(
    `the hub is configured for the platform itself: the demo needs a hub without components.sources.${component}, ` +
      'or with its apiBase on this machine',
  );
}

/** Gives the hub the credentials of the double. @returns what takes them away again */
async function configured(
  client: ApiClient,
  { component }: SimulatedSource,
  { configuration }: DemoDouble,
  print: Print,
): Promise<() => Promise<void>> {
  const name = `sources-${component}`;
  const hasStatus = async (status: string): Promise<boolean> => {
    const { components } = await client.call<{ components: Listed[] }>('components.list');
    return components.some((one) => one.name === name && one.installationStatus === status);
  };
  if (configuration === undefined) throw new Error(`${name} is not running at the hub, though parley.yaml has it`);
  await client.call('components.install', { name });
  await until(`${name} is installed`, () => hasStatus('installed'));
  const components = [{ name, enabled: true, data: configuration }];
  const updated = await client.call<{ components: object }>('components.update', { components });
  if (!(name in updated.components)) throw new Error(`the hub does not take the configuration of ${name}`);
  return () =>
    cleanUp(print, async () => {
      await client.call('components.delete', { components: [name] });
      await client.call('components.uninstall', { name });
    });
}

/** Cleaning up goes on after a step that fails: the first reason to fail is the one to show. */
async function cleanUp(print: Print, step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    print(`Not everything could be cleaned up: ${error.message}`);
  }
}

async function play(
  parts: Pick<Stage, 'client' | 'print' | 'interrupted'>,
  double: DemoDouble,
  channel: string,
): Promise<void> {
  const conversations = async (): Promise<string[]> => {
    const query = { filters: `channel_id:${channel}`, page_size: 1_000 };
    const { data } = await parts.client.call<{ data: { id: string }[] }>('conversations.list', query);
    return data.map(({ id }) => id);
  };
  // Somebody new each time, whose conversation begins with the demo.
  const contact = double.contact.replace(/\d{1,6}$/, String(randomInt(100_000, 1_000_000)));
  const before = new Set(await conversations());
  let conversation: string | undefined;
  await playLines({
    ...parts,
    async contactSays(text) {
      await double.write({ from: contact, name: contactName, text });
      await until('the conversation is there', async () => {
        conversation ??= (await conversations()).find((id) => !before.has(id));
        return conversation !== undefined;
      });
      return conversation!;
    },
    contentOf: (text) => inPlace(double.reply, text) as object,
  });
}

/** A message with its text where `<text>` is. */
function inPlace(value: unknown, text: string): unknown {
  if (value === '<text>') return text;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inPlace(inner, text)]));
}

/** @throws Error when it does not come true within 10 s */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${waitMs / 1_000} s`);
    await pause(pollEveryMs);
  }
}
