import { configKeys, isSection, type Key, type Section } from './keys.ts';

/** One module of the hub that can be installed, configured and uninstalled while it runs. */
export interface CatalogueEntry {
  name: string;
  /** Where the configuration file has it; null: only the API switches it on. */
  path: readonly [section: 'integration', key: Integration] | readonly ['components', 'sources', SourceName] | null;
  displayName: string;
  category: string;
  /** A sentence. */
  description: string;
  /** The source that it connects; else what it is about. */
  source: string;
}

type Integration = 'source-api' | 'contacts' | 'webhook';
type SourceName = 'pageplatform' | 'cloudmsg' | 'bizmaps' | 'telco' | 'chatplugin';

const sourceComponent = (source: SourceName, displayName: string, description: string): CatalogueEntry => ({
  ...{ name: `sources-${source}`, path: ['components', 'sources', source], category: 'source', source },
  ...{ displayName, description },
});

/** The component that has files of messages copied. */
export const mediaResolver = 'media-resolver';

/** Every component there is, in the order in which it is listed. */
export const catalogue: readonly CatalogueEntry[] = [
  sourceComponent(
    'pageplatform',
    'Page platform',
    'Messages of pages, and of the photo platform, which shares its app.',
  ),
  sourceComponent('cloudmsg', 'Cloud messaging', 'Messages of business numbers in the cloud.'),
  sourceComponent('bizmaps', 'Business maps', 'Messages that people write from a place on the map.'),
  sourceComponent('telco', 'Telephony', 'Text messages, and messages of telephone numbers.'),
  sourceComponent('chatplugin', 'Chat plugin', 'A chat for visitors of your own pages.'),
  {
    ...{ name: 'integration-webhook', path: ['integration', 'webhook'], category: 'integration', source: 'webhook' },
    ...{ displayName: 'Webhooks', description: 'Events are sent to your own addresses.' },
  },
  {
    ...{ name: 'integration-source-api', path: ['integration', 'source-api'], category: 'integration' },
    ...{ source: 'source-api', displayName: 'Source API', description: 'Your applications act as messaging sources.' },
  },
  {
    ...{ name: 'api-contacts', path: ['integration', 'contacts'], category: 'api', source: 'contacts' },
    ...{ displayName: 'Contacts', description: 'One person over several conversations.' },
  },
  {
    ...{ name: mediaResolver, path: null, category: 'media', source: 'media-resolver' },
    ...{ displayName: 'Media resolver', description: 'Media whose links expire are copied into the hub.' },
  },
];

/** The component of a name; null: there is none. */
export const catalogueEntry = (name: string): CatalogueEntry | null =>
  catalogue.find((entry) => entry.name === name) ?? null;

/** The key that switches a component on in the file, beside its configuration; the others are on when they are there. */
const switchKey = 'enabled';

/** The keys of a component's configuration, without its switch. */
export function keysOf({ path }: CatalogueEntry): Record<string, Key> {
  let section: Key | Section | undefined = path === null ? undefined : configKeys;
  for (const name of path ?? []) section = section && isSection(section) ? section.keys[name] : undefined;
  if (section === undefined || !isSection(section)) return {};
  const { [switchKey]: _, ...keys } = section.keys;
  return keys as Record<string, Key>;
}
