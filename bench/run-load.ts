import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { LoadOptions, LoadReport } from './load/options.ts';

const generator = fileURLToPath(new URL('./load.ts', import.meta.url));
/** Far more numbers than one run uses. */
const numbersPerRun = 100_000_000;
let runs = 0;

/**
 * Runs the load generator once. Its numbers are unique among all runs of this program.
 * @throws Error when a request is not answered with 2xx: such a figure would say nothing
 */
export async function runLoad(options: Omit<LoadOptions, 'firstNumber'>): Promise<LoadReport> {
  runs++;
  const child = spawn(process.execPath, [generator], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ ...options, firstNumber: runs * numbersPerRun } satisfies LoadOptions));
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (output === '') throw new Error('the load generator ended without a report');
  const report = JSON.parse(output) as LoadReport;
  if (report.failure !== null) {
    throw new Error(
      `${options.request.path} answered ${JSON.stringify(report.statuses)}; first failure ${report.failure}`,
    );
  }
  return report;
}
