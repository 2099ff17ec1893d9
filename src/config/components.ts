import type { StoredComponent } from '#actors/component/reader.ts';
import { catalogue, type CatalogueEntry, keysOf } from './catalogue.ts';
import type { Config } from './config.ts';
import { readValues } from './load.ts';
import type { ConfigProblem } from './problem.ts';

/** Values of a configuration by their keys: what the loader makes of them, secrets as `Secret`s. */
export type Values = Readonly<Record<string, unknown>>;

/** A component as it is now, by the configuration file and what was stored through the API. */
export interface Component {
  entry: CatalogueEntry;
  /** Whether the file has it on. */
  inFile: boolean;
  status: StoredComponent['status'];
  enabled: boolean;
  /** Null: there is none. */
  values: Values | null;
  /** Why it can not run as it is configured; null: it can. */
  problem: string | null;
  /** It runs: it is installed and on, and its configuration is whole. */
  isOn: boolean;
}

/** Reads a component's configuration in the words of the file, with its defaults. */
export function readConfiguration(
  entry: CatalogueEntry,
  written: Record<string, unknown>,
): { values: Values; problems: ConfigProblem[] } {
  return readValues({ keys: keysOf(entry), optional: false }, entry.path ?? [], written);
}

/** Every component of the catalogue. What is stored wins over the file. */
export const componentsOf = (file: Config, stored: readonly StoredComponent[]): Component[] =>
  catalogue.map((entry) => {
    const known = stored.find(({ name }) => name === entry.name);
    return known === undefined ? asInFile(file, entry) : asStored(file, entry, known);
  });

function asInFile(file: Config, entry: CatalogueEntry): Component {
  const { inFile, values } = ofFile(file, entry);
  const status = inFile ? 'installed' : 'uninstalled';
  return { entry, inFile, status, enabled: inFile, values, problem: null, isOn: inFile };
}

function asStored(file: Config, entry: CatalogueEntry, stored: StoredComponent): Component {
  const { inFile, values: fromFile } = ofFile(file, entry);
  const { status, enabled, configuration } = stored;
  if (configuration === null && fromFile !== null) {
    return { entry, inFile, status, enabled, values: fromFile, problem: null, isOn: stored.isOn };
  }
  const { values, problems } = readConfiguration(entry, configuration ?? {});
  const problem = problems.length === 0 ? null : problems.map(({ key, reason }) => `${key} ${reason}`).join('; ');
  const isEmpty = Object.keys(configuration ?? {}).length === 0 && problem !== null;
  return { entry, inFile, status, enabled, values: isEmpty ? null : values, problem, isOn: stored.isOn && !problem };
}

/** What the file says of a component. Without a path it says nothing, and there is nothing to configure. */
function ofFile(file: Config, { path }: CatalogueEntry): { inFile: boolean; values: Values | null } {
  if (path === null) return { inFile: false, values: {} };
  if (path[0] === 'integration') {
    const { enabled, ...values } = file.integration[path[1]];
    return { inFile: enabled, values };
  }
  const values = file.components.sources[path[2]];
  return { inFile: values !== undefined, values: values ?? null };
}

/** The parts of the configuration that components decide, as they are now. */
export function effectiveConfig(components: readonly Component[]): Pick<Config, 'integration' | 'components'> {
  const integration: Record<string, object> = {};
  const sources: Record<string, object> = {};
  for (const { entry, values, isOn } of components) {
    if (entry.path?.[0] === 'integration') integration[entry.path[1]] = { ...values, enabled: isOn };
    if (entry.path?.[0] === 'components' && isOn) sources[entry.path[2]] = { ...values };
  }
  // Each value was read by its own key's type; the tests hold the keys against `Config`.
  return { integration, components: { sources } } as unknown as Pick<Config, 'integration' | 'components'>;
}
