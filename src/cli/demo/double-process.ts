import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Introduction } from '#src/doubles/double.ts';
import { ownProgram } from './own-program.ts';

/** A double in a process of its own. */
export interface DemoDouble extends Omit<Introduction, 'configuration'>, AsyncDisposable {
  url: string;
  /** What the hub lacks below `components.sources`; absent: it has that. */
  configuration?: Record<string, string>;
  /** A contact writes. @throws Error with the words of the double, when it can not be */
  write(message: { from: string; name: string; text: string }): Promise<void>;
}

/**
 * Starts a double and waits until it answers.
 * @param args of `parley simulate`
 * @throws Error when it ends before that; it has said why
 */
export async function startDemoDouble(args: readonly string[]): Promise<DemoDouble> {
  const [program, own] = ownProgram(['simulate', ...args, '--json', '--until-input-ends']);
  const child = spawn(program, own, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  // Writing to a double that is gone is noticed by its exit, not here.
  child.stdin.on('error', () => {});
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const said = await Promise.race([line, ended.then(() => null)]);
  if (said === null) throw new Error('the double could not be started');
  const facts = JSON.parse(said[0]) as Omit<DemoDouble, 'write'>;
  return {
    ...facts,
    async write(message) {
      const answer = await fetch(`${facts.url}/_control/message`, { method: 'POST', body: JSON.stringify(message) });
      const { error, webhook } = (await answer.json()) as { error?: string; webhook?: { status: number | null } };
      if (error !== undefined) throw new Error(`the double can not write: ${error}`);
      if (webhook?.status !== 200)
        throw new Error(`the hub answered the webhook of the double with ${webhook?.status}`);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
