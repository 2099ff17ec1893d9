import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { startSourceServer } from '../demo/source-server.ts';

const writeLine = (value: object): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};

/**
 * The demo's source, a process of its own as real sources are. It prints JSON lines: `{port}` first, then what it
 * did with each call. Its token comes on standard input, where no process list shows it; the end of the input ends
 * the process, so that it never outlives the demo.
 */
export function demoSourceCommand(): Command {
  return new Command('demo-source').description('the source process of the demo').action(async () => {
    let token: string | undefined;
    const server = await startSourceServer(() => token, writeLine);
    writeLine({ port: server.port });
    for await (const line of createInterface({ input: process.stdin })) token = line;
    await server.close();
  });
}
