import { json } from 'node:stream/consumers';
import { Agent } from 'undici';

/** Posts bodies as fast as a plain loop over undici does. Standard input: `{url, bodies, inFlight}`. Prints the seconds. */
const { url, bodies, inFlight } = (await json(process.stdin)) as {
  url: string;
  bodies: string[];
  inFlight: number;
};
const agent = new Agent({ connections: inFlight, pipelining: 1 });
const headers = { 'Content-Type': 'application/json' };
let next = 0;

async function loop(): Promise<void> {
  while (next < bodies.length) {
    const body = bodies[next++]!;
    const answer = await agent.request({ origin: url, path: '/', method: 'POST', headers, body });
    await answer.body.text();
  }
}

const started = performance.now();
await Promise.all(Array.from({ length: inFlight }, loop));
console.log((performance.now() - started) / 1_000);
await agent.close();
