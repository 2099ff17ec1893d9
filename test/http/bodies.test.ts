import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it, test } from 'vitest';
import { Bodies, bodyLimit } from '#src/http/bodies.ts';
import { codeOf } from '../_support/failures.ts';

/** A server on a free loopback port. */
async function listenTo(handler: Parameters<typeof createServer>[1]) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The parts of a request that reading a body sees; what is written to it arrives. */
class Arriving extends PassThrough {
  readonly headers = {};
  complete = false;

  get request(): IncomingMessage {
    return this as unknown as IncomingMessage;
  }

  finish(): void {
    this.complete = true;
    this.end();
  }
}

const arrived = () => new Promise(setImmediate);

describe('a body that drips', () => {
  it('is refused when it has taken too long', async () => {
    const request = new Arriving();
    const reading = codeOf(() => new Bodies(1_000, 5).read(request.request));
    request.write('begin');
    expect(await reading).toBe('invalid_request');
  });
});

describe('reading a body', () => {
  const listen = () =>
    listenTo(async (request, response) => {
      const code = await codeOf(async () => {
        using body = await new Bodies().read(request);
        response.setHeader('x-size', body.bytes.length);
      });
      response.end(code);
    });
  const chunks = (size: number) =>
    new ReadableStream({
      start(controller) {
        const part = new Uint8Array(65_536);
        for (let sent = 0; sent < size; sent += part.length) controller.enqueue(part.subarray(0, size - sent));
        controller.close();
      },
    });
  const post = (url: string, body: Buffer | ReadableStream) =>
    fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit);

  it('takes exactly the limit', async () => {
    await using server = await listen();
    for (const body of [Buffer.alloc(bodyLimit), chunks(bodyLimit)]) {
      const response = await post(server.url, body);
      expect([await response.text(), response.headers.get('x-size')]).toEqual(['none', String(bodyLimit)]);
    }
  });

  it('refuses one byte more, also without a length', async () => {
    await using server = await listen();
    for (const body of [Buffer.alloc(bodyLimit + 1), chunks(bodyLimit + 1)]) {
      expect(await (await post(server.url, body)).text()).toBe('body_too_large');
    }
  });

  it('ends when the client goes away, as no defect', async () => {
    const bodies = new Bodies();
    const seen = Promise.withResolvers<string>();
    await using server = await listenTo((request) => {
      codeOf(() => bodies.read(request)).then(seen.resolve, seen.reject);
    });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc', () => socket.destroy());
    expect(await seen.promise).toBe('invalid_request');
    expect(bodies.held).toBe(0);
  });
});

test('a request that is gone already has no body', async () => {
  const gone = new Arriving();
  gone.destroy();
  await once(gone, 'close');
  expect(await codeOf(() => new Bodies().read(gone.request))).toBe('invalid_request');
});

describe('the budget of bodies', () => {
  it('is taken until the work with a body is done', async () => {
    const bodies = new Bodies(10_000);
    const one = new Arriving();
    const reading = bodies.read(one.request);
    one.write(Buffer.alloc(1_000));
    one.finish();
    {
      using body = await reading;
      expect(body.bytes.length).toBe(1_000);
      expect(bodies.held).toBeGreaterThanOrEqual(1_000);
    }
    expect(bodies.held).toBe(0);
  });

  it('is taken from the body that came in for the longest', async () => {
    const bodies = new Bodies(10_000);
    const [stalling, later, honest] = [new Arriving(), new Arriving(), new Arriving()];
    const codes = [stalling, later].map((body) => codeOf(() => bodies.read(body.request)));
    stalling.write(Buffer.alloc(4_000));
    later.write(Buffer.alloc(4_000));
    await arrived();
    const reading = bodies.read(honest.request);
    honest.write(Buffer.alloc(4_000));
    honest.finish();
    expect((await reading).bytes.length).toBe(4_000);
    expect(await codes[0]).toBe('overloaded');
    later.finish();
    expect(await codes[1]).toBe('none');
  });

  it('leaves whole bodies alone and refuses what comes', async () => {
    const bodies = new Bodies(10_000);
    const whole = new Arriving();
    const reading = bodies.read(whole.request);
    whole.write(Buffer.alloc(9_000));
    whole.finish();
    using body = await reading;
    const next = new Arriving();
    const code = codeOf(() => bodies.read(next.request));
    next.write(Buffer.alloc(2_000));
    expect(await code).toBe('overloaded');
    expect(body.bytes.length).toBe(9_000);
  });

  it('is half for one caller, whatever of it waits', async () => {
    const bodies = new Bodies(10_000);
    const send = async (size: number, caller: string) => {
      const body = new Arriving();
      const code = codeOf(async () => void (await bodies.read(body.request, 10_000, caller)));
      body.write(Buffer.alloc(size));
      body.finish();
      return code;
    };
    expect([await send(4_000, 'a'), await send(4_000, 'a'), await send(2_000, 'b')]).toEqual([
      'none',
      'overloaded',
      'none',
    ]);
  });

  it('has room for another caller, however many hold some', async () => {
    const bodies = new Bodies(20_000);
    const hold = async (caller: string) => {
      const body = new Arriving();
      const code = codeOf(async () => void (await bodies.read(body.request, 10_000, caller)));
      body.write(Buffer.alloc(1_000));
      body.finish();
      return code;
    };
    for (const greedy of ['a', 'b', 'c']) while ((await hold(greedy)) === 'none');
    expect(await hold('honest')).toBe('none');
  });

  it('counts what a drip costs', async () => {
    const bodies = new Bodies(10_000);
    const dripping = new Arriving();
    const code = codeOf(() => bodies.read(dripping.request));
    for (let n = 0; n < 100; n++) {
      dripping.write('x');
      await arrived();
    }
    expect(await code).toBe('overloaded');
    expect(bodies.held).toBe(0);
  });
});
