import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Mode, Order, Receipt, ReceiverStart } from './receiver.ts';

const program = fileURLToPath(new URL('./receiver.ts', import.meta.url));
const clockModule = pathToFileURL(fileURLToPath(new URL('./jumping-clock.ts', import.meta.url))).href;

/** Time for everyone to hear of a jump, in ms. */
const lead = 60;

/** A clock that several processes show and a test moves on. */
export class JumpingClock implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'parley-clock-'));
  readonly #file = join(this.#folder, 'offset');
  #offset = 0;

  /** The environment of a process that shows this clock. */
  get environment(): Record<string, string> {
    return { TEST_CLOCK_FILE: this.#file, NODE_OPTIONS: `--import ${clockModule}` };
  }

  /**
   * Moves the time on by `ms`, for all at once, a moment from now; resolves when all show it: a command that is under
   * way in a jump is refused as too late.
   */
  async jump(ms: number): Promise<void> {
    this.#offset += ms;
    const from = Date.now() + lead;
    // Renamed, so that nobody reads half of it.
    writeFileSync(`${this.#file}.new`, `${this.#offset} ${from}`);
    renameSync(`${this.#file}.new`, this.#file);
    while (Date.now() < from) await wait(from - Date.now());
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A receiver of webhooks in a process of its own. */
export class ReceiverProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #file: string;
  readonly #receipts: Receipt[] = [];
  /** Bytes of the file that are in `#receipts`. */
  #read = 0;
  #port = 0;

  private constructor(child: ChildProcess, folder: string, file: string) {
    this.#child = child;
    this.#folder = folder;
    this.#file = file;
  }

  /** `key`: what it verifies with. */
  static async start(key: string, environment: Record<string, string> = {}): Promise<ReceiverProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'parley-receiver-'));
    const file = join(folder, 'receipts');
    writeFileSync(file, '');
    const argument = JSON.stringify({ file, key } satisfies ReceiverStart);
    const child = fork(program, [argument], { env: { ...process.env, ...environment } });
    const receiver = new ReceiverProcess(child, folder, file);
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    receiver.#port = port;
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.#port}${path}`;
  }

  /** From now on `path` behaves like this; `ok` is what it does unless told. */
  async behave(path: string, mode: Mode): Promise<void> {
    const told = once(this.#child, 'message');
    this.#child.send({ path, mode } satisfies Order);
    await told;
  }

  /** Every call so far, oldest first; of one path where it is given. */
  receipts(path?: string): Receipt[] {
    this.#readOn();
    return path === undefined ? [...this.#receipts] : this.#receipts.filter((receipt) => receipt.path === path);
  }

  /** Number of calls so far. */
  get calls(): number {
    this.#readOn();
    return this.#receipts.length;
  }

  #readOn(): void {
    const file = openSync(this.#file, 'r');
    const buffer = Buffer.alloc(1 << 20);
    for (let size = -1; size !== 0; ) {
      size = readSync(file, buffer, 0, buffer.length, this.#read);
      // The last line may be half written: it is read again.
      const whole = buffer.lastIndexOf(10, size - 1) + 1;
      if (size <= 0 || whole === 0) break;
      this.#read += whole;
      for (const line of buffer.toString('utf8', 0, whole - 1).split('\n')) this.#receipts.push(JSON.parse(line));
    }
    closeSync(file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#child, 'exit');
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
