/** One thing that is wrong. `place` says where: `parley.yaml:12:9` or the name of a variable. */
export interface ConfigProblem {
  place: string;
  /** The key, as `server.port`; empty when the file as a whole is meant. */
  key: string;
  /** What is wrong with it. Never contains a value, which could be a secret. */
  reason: string;
}

/** Everything that is wrong with a configuration, at once. The message has one line for each problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ place, key, reason }) => `  ${place}: ${key}${key && ' '}${reason}`);
    super(`the configuration has ${problems.length} problem${problems.length === 1 ? '' : 's'}\n${lines.join('\n')}`);
    this.problems = problems;
  }
}
