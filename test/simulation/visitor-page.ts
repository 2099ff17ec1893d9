import type { Environment, KeyValueStorage } from '#web/chat-widget/core/environment.ts';
import { Connection } from './connection.ts';
import type { Clients } from './clients.ts';
import { never } from './process.ts';
import type { World } from './world.ts';

/** Where visitors find the hub. */
export const host = 'http://localhost';

const socketPath = '/ws.chatplugin';
/** Ms until a browser says that nobody is there. */
const unreachableAfter = 100;

/** A browser's WebSocket over a connection of the simulation. */
class VisitorWire {
  onopen = () => {};
  onmessage = (_event: { data: string }) => {};
  onclose = (_event: { code: number }) => {};
  onerror = () => {};
  readonly #connection: Connection | null;

  constructor({ hub, time, random }: World) {
    if (hub === null) {
      this.#connection = null;
      time.after(unreachableAfter, () => this.onclose({ code: 1006 }));
      return;
    }
    const connection = new Connection({
      ...{ time, random, hub: hub.process },
      end: {
        receive: (data) => this.onmessage({ data: data.toString() }),
        closed: () => this.onclose({ code: 1006 }),
      },
    });
    this.#connection = connection;
    connection.serve(hub.front.realtime.open(socketPath, connection, {}));
    time.after(1, () => this.onopen());
  }

  send(data: string): void {
    this.#connection?.say(Buffer.from(data));
  }

  close(): void {
    this.#connection?.cut();
  }

  jam(ms: number): void {
    this.#connection?.jam(ms);
  }
}

/** What the widget's core needs of a browser, under the control of a seed. */
export class VisitorPage {
  readonly environment: Environment;
  readonly #world: World;
  #wire: VisitorWire | null = null;
  #isGone = false;

  constructor(world: World, clients: Clients, storage: KeyValueStorage) {
    const { random, time } = world;
    const opened = (): VisitorWire => {
      this.#wire = new VisitorWire(world);
      return this.#wire;
    };
    this.#world = world;
    this.environment = {
      ...{ storage, fetch: fetchBy(clients, () => this.#isGone) },
      WebSocket: function open() {
        return opened();
      } as unknown as typeof WebSocket,
      clock: { now: () => world.now(), schedule: (ms, run) => time.after(Math.round(ms), run) },
      newId: () => random.uuid(),
      random: () => random.random(),
      exclusively: (_, work) => work(),
      onReturn: () => () => {},
    };
  }

  /** Whatever is on its way never gets an answer: a page that is closed does nothing any more. */
  leave(): void {
    this.#isGone = true;
  }

  /** The socket breaks, or nothing arrives on it for a while. */
  disturb(): void {
    const { random } = this.#world;
    if (random.chance(0.6)) this.#wire?.close();
    else this.#wire?.jam(random.int(20_000));
  }
}

/** Requests of a browser: they end without an answer when it is lost, or when they are given up. */
const fetchBy = (clients: Clients, isGone: () => boolean): typeof fetch =>
  (async (url: string, { body, headers, signal }: RequestInit) => {
    const given = Object.entries(headers as Record<string, string>).map(([name, value]) => [name.toLowerCase(), value]);
    const sent = { path: url.slice(host.length), body: body as string, headers: Object.fromEntries(given) };
    const gaveUp = new Promise<never>((_, reject) => {
      signal!.addEventListener('abort', () => reject(new TypeError('given up')));
    });
    const ending = await Promise.race([clients.once(sent), gaveUp]);
    if (isGone()) return never<Response>();
    if (ending.kind === 'cut off') throw new TypeError('Failed to fetch');
    const { status, headers: answered, body: json } = ending.answer;
    return { ok: status < 300, status, headers: new Headers(answered), json: async () => json };
  }) as unknown as typeof fetch;
