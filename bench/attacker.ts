import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { LoadConnection } from './load/connection.ts';
import type { RequestTemplate } from './load/options.ts';
import { RequestWriter } from './load/requests.ts';

/** What is asked of it. */
export interface AttackerOptions {
  url: string;
  request: RequestTemplate;
  connections: number;
  /** Of requests that are written, whatever comes back. */
  bytesPerSecond: number;
}

/** What came of it: HTTP status → answers; 0: no answer. */
export type AttackerReport = Record<string, number>;

/**
 * Somebody with a token who sends as much as is allowed, in a process of its own: reads its options as a line of JSON
 * from standard input, goes on until the input ends, and prints its report. It obeys no answer.
 */

const tick = 5;
/** What was not sent in time is not made up for beyond this, in s. */
const longestBurst = 0.25;

const input = createInterface(process.stdin);
const [line] = (await once(input, 'line')) as [string];
const { url, request, connections, bytesPerSecond } = JSON.parse(line) as AttackerOptions;
/** Of another run than any before: the numbers of a template have twelve digits. */
const firstNumber = Date.now() % 1e12;
const writer = new RequestWriter(request, new URL(url).host, firstNumber);
const idle = Array.from({ length: connections }, () => new LoadConnection(url));
const report: AttackerReport = {};
const burst = bytesPerSecond * longestBurst;
let allowed = 0;
let last = performance.now();

function sendWhatIsAllowed(): void {
  const now = performance.now();
  allowed = Math.min(burst, allowed + ((now - last) / 1000) * bytesPerSecond);
  last = now;
  while (allowed > 0 && idle.length > 0) {
    const connection = idle.shift()!;
    const text = writer.next();
    allowed -= text.length;
    connection.send(text, (status) => {
      report[status] = (report[status] ?? 0) + 1;
      idle.push(connection);
    });
  }
}

setInterval(sendWhatIsAllowed, tick);
input.once('close', () => {
  console.log(JSON.stringify(report));
  process.exit();
});
