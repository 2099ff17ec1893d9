import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ownProgram } from './own-program.ts';
import type { SourceReport } from './source-server.ts';

/** The demo's source, running in its own process. */
export interface SourceProcess {
  /** Where the hub is to call it. */
  actionEndpoint: string;
  /** Gives the source the token that the hub signs with. */
  useToken(token: string): void;
  stop(): Promise<void>;
}

const startWithinMs = 10_000;

/**
 * Starts the source and waits until it listens.
 * @param onReport is told what the source did with each call of the hub.
 * @throws Error when it does not start within 10 s.
 */
export async function startSourceProcess(onReport: (report: SourceReport) => void): Promise<SourceProcess> {
  const [program, args] = ownProgram(['demo-source']);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve()).once('error', () => resolve());
  });
  // Writing to a source that is gone is noticed by its exit, not here.
  child.stdin.on('error', () => {});
  let timer: NodeJS.Timeout | undefined;
  const port = await new Promise<number>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error("the demo's source did not start in time")), startWithinMs);
    void ended.then(() => reject(new Error("the demo's source ended before it listened")));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as { port: number } | SourceReport;
      if ('port' in message) resolve(message.port);
      else onReport(message);
    });
  }).finally(() => clearTimeout(timer));
  return {
    actionEndpoint: `http://127.0.0.1:${port}/actions`,
    useToken: (token) => child.stdin.write(`${token}\n`),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
