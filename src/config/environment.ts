import { readFileSync } from 'node:fs';
import { configKeys, environmentName, type Key, walkKeys } from './keys.ts';
import type { ConfigProblem } from './problem.ts';

/** A value that a variable gives, already in the terms of the file. */
export interface EnvironmentValue {
  value: unknown;
  /** The variable. */
  place: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of the program that look like keys and are none. */
const otherVariables = new Set(['PARLEY_NATS_SERVER']);

/** Failures of the file system by a word that names no content. */
const fileReason = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';

function givenValue(name: string, key: Key, env: Environment, problems: ConfigProblem[]): EnvironmentValue | undefined {
  const given = env[name];
  const fileVariable = `${name}_FILE`;
  const file = key.secret ? env[fileVariable] : undefined;
  if (file && given) {
    problems.push({ place: fileVariable, key: '', reason: `and ${name} are both set: keep one of them` });
    return undefined;
  }
  if (given) return { value: key.type.fromText(given), place: name };
  if (!file) return undefined;
  try {
    return { value: readFileSync(file, 'utf8').replace(/\r?\n$/, ''), place: fileVariable };
  } catch (error) {
    problems.push({ place: fileVariable, key: '', reason: `names a file that can't be read (${fileReason(error)})` });
    return undefined;
  }
}

/**
 * Reads the variables of all keys. An empty variable counts as unset; lists are comma separated; a secret may also
 * come from the file that `<variable>_FILE` names, without its last line end. A variable that looks like a key and
 * is none is a problem, so that a misspelt name does not go unseen.
 * @returns the values by dotted key.
 */
export function readEnvironment(env: Environment): {
  values: Map<string, EnvironmentValue>;
  problems: ConfigProblem[];
} {
  const values = new Map<string, EnvironmentValue>();
  const problems: ConfigProblem[] = [];
  const known = new Set(otherVariables);
  for (const [path, key] of walkKeys()) {
    const name = environmentName(path);
    known.add(name);
    if (key.secret) known.add(`${name}_FILE`);
    const value = givenValue(name, key, env, problems);
    if (value) values.set(path.join('.'), value);
  }
  const sections = Object.keys(configKeys.keys).map((name) => `${environmentName([name])}_`);
  for (const name of Object.keys(env)) {
    if (!known.has(name) && sections.some((section) => name.startsWith(section))) {
      problems.push({ place: name, key: '', reason: 'is not a variable of any key' });
    }
  }
  return { values, problems };
}
