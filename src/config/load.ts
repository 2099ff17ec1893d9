import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { checkTogether } from './checks.ts';
import type { Config } from './config.ts';
import { type Environment, type EnvironmentValue, readEnvironment } from './environment.ts';
import { type ConfigFile, parseConfigFile } from './file.ts';
import { configKeys, type Key, isSection, type Section } from './keys.ts';
import { ConfigError, type ConfigProblem } from './problem.ts';

/** What the walk over the keys reads from and writes problems to. */
interface Reading {
  file: ConfigFile;
  fromEnvironment: Map<string, EnvironmentValue>;
  problems: ConfigProblem[];
}

const noFile: ConfigFile = { values: null, problems: [], place: () => 'configuration' };

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readKey(key: Key, path: string[], written: unknown, reading: Reading): unknown {
  const name = path.join('.');
  const override = reading.fromEnvironment.get(name);
  const value = override ? override.value : written;
  const place = override?.place ?? reading.file.place(path);
  if (value === undefined && key.initial === undefined) {
    reading.problems.push({ place, key: name, reason: `is missing: ${key.type.words} (${key.meaning})` });
    return undefined;
  }
  const result = key.type.read.safeParse(value === undefined ? key.initial : value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const item = issue?.path.length ? `, item ${Number(issue.path[0]) + 1},` : '';
  reading.problems.push({ place, key: name + item, reason: issue?.message ?? 'is not valid' });
  return undefined;
}

function isWanted(section: Section, path: string[], written: unknown, reading: Reading): boolean {
  if (!section.optional) return true;
  if (Object.keys(section.keys).length === 0) return written !== undefined;
  const prefix = `${path.join('.')}.`;
  const inFile =
    written !== undefined && written !== null && !(isMapping(written) && Object.keys(written).length === 0);
  return inFile || [...reading.fromEnvironment.keys()].some((name) => name.startsWith(prefix));
}

function readSection(section: Section, path: string[], written: unknown, reading: Reading): Record<string, unknown> {
  const { file, problems } = reading;
  // A section whose keys are all commented out is null in YAML.
  if (!isMapping(written ?? {})) {
    problems.push({ place: file.place(path), key: path.join('.'), reason: 'must be a section with keys of its own' });
    return {};
  }
  const values = (written ?? {}) as Record<string, unknown>;
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(section.keys, name)) continue;
    const reason = `is not known; known here: ${Object.keys(section.keys).join(', ') || 'no keys'}`;
    problems.push({ place: file.place([...path, name]), key: [...path, name].join('.'), reason });
  }
  const result: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(section.keys)) {
    const at = [...path, name];
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (!isSection(entry)) result[name] = readKey(entry, at, value, reading);
    else if (isWanted(entry, at, value, reading)) result[name] = readSection(entry, at, value, reading);
  }
  return result;
}

/**
 * Reads values that come from elsewhere than the file, as the file's own section would be read: the same keys, types and
 * defaults.
 */
export function readValues(
  section: Section,
  path: readonly string[],
  written: Record<string, unknown>,
): { values: Record<string, unknown>; problems: ConfigProblem[] } {
  const reading: Reading = { file: noFile, fromEnvironment: new Map(), problems: [] };
  const values = readSection(section, [...path], written, reading);
  return { values, problems: reading.problems };
}

function readFile(file: string): ConfigFile {
  const name = basename(file);
  try {
    return parseConfigFile(readFileSync(file, 'utf8'), name);
  } catch (error) {
    const reason = `can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
    return { ...noFile, problems: [{ place: file, key: '', reason }] };
  }
}

/**
 * Reads the configuration: defaults, then the file, then the environment, each over the one before.
 * `data.dir` is returned absolute, resolved against the file's folder (without a file: the current one).
 * @throws ConfigError with every problem, each with file, line and column or with the variable's name.
 */
export function loadConfig({ file, env }: { file?: string; env: Environment }): Config {
  const source = file === undefined ? noFile : readFile(file);
  const { values: fromEnvironment, problems } = readEnvironment(env);
  const reading: Reading = { file: source, fromEnvironment, problems: [...source.problems, ...problems] };
  // Keys of a file that could not be parsed would all seem to be missing.
  if (source.problems.length > 0) throw new ConfigError(reading.problems);
  // The walk gives every key of `configKeys` its checked type; the tests hold the keys against `Config`.
  const config = readSection(configKeys, [], source.values, reading) as unknown as Config;
  const placeOf = (key: string): string => fromEnvironment.get(key)?.place ?? source.place(key.split('.'));
  reading.problems.push(...checkTogether(config).map(({ key, reason }) => ({ place: placeOf(key), key, reason })));
  if (reading.problems.length > 0) throw new ConfigError(reading.problems);
  config.data.dir = resolve(file === undefined ? '.' : dirname(file), config.data.dir);
  return config;
}
