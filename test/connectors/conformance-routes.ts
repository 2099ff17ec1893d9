import { expect } from 'vitest';
import type { Connector, InboundRoute, RawRequest } from '#src/connectors/connector.ts';
import { operations } from '#src/http/operations.ts';
import { type Check, inboundIn, oddBodies } from './specimen.ts';
import { impossibleIn, spoilt } from './spoilt.ts';

/** What the hub relies on where a platform calls it. */

const largestBody = 8 * 1024 * 1024;
/** Addresses of the hub's own, besides those of operations. */
const ownPath = /^\/(?:health|docs|openapi|asyncapi|metrics|ws)\b/;

const routeOf = ({ routes }: Connector, request: RawRequest): InboundRoute =>
  routes.find(({ method, path }) => method === request.method && path === request.url.pathname)!;

const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, n) => (n === at ? byte ^ 1 : byte));

export const verifying: readonly Check[] = [
  {
    title: 'has a genuine request for each route, and takes it',
    run(connector, { genuine }) {
      expect(new Set(genuine.map((request) => routeOf(connector, request)))).toEqual(new Set(connector.routes));
      for (const request of genuine) {
        const bytes = Buffer.from(request.body).toString('hex');
        const route = routeOf(connector, request);
        expect(route.verify(request)).toBe(true);
        expect(inboundIn(route, request)).not.toBeNull();
        expect(Buffer.from(request.body).toString('hex')).toBe(bytes);
      }
    },
  },
  {
    title: 'refuses a body with any byte changed',
    run(connector, { genuine }) {
      for (const request of genuine) {
        for (const at of request.body.keys()) {
          const changed = { ...request, body: flipped(request.body, at) };
          expect(routeOf(connector, request).verify(changed), `byte ${at}`).toBe(false);
        }
      }
    },
  },
  {
    title: 'refuses what carries no credential',
    run(connector, { genuine }) {
      for (const request of genuine) {
        const bare = { ...request, url: new URL(request.url.pathname, request.url), headers: {} };
        expect(routeOf(connector, request).verify(bare)).toBe(false);
      }
    },
  },
  {
    title: 'reads nothing of odd bodies, and does not throw',
    run(connector, { genuine }) {
      for (const request of genuine.filter(({ body }) => body.length > 0)) {
        for (const text of oddBodies) {
          const said = inboundIn(routeOf(connector, request), { ...request, body: Buffer.from(text) });
          expect(said?.flatMap(({ messages }) => messages) ?? [], text).toEqual([]);
        }
      }
    },
  },
];

export const parsing: readonly Check[] = [
  {
    title: 'passes nothing on that can not be, however spoilt',
    run(connector, { genuine }) {
      for (const request of genuine.filter(({ body }) => body.length > 0)) {
        for (const body of spoilt(request.body)) {
          const said = inboundIn(routeOf(connector, request), { ...request, body });
          expect(said?.flatMap(impossibleIn) ?? [], body.toString()).toEqual([]);
        }
      }
    },
  },
  {
    title: 'splits a request into updates that read alike alone',
    run(connector, { genuine }) {
      for (const request of genuine) {
        const route = routeOf(connector, request);
        for (const update of route.split(request)) {
          const alone = route.split({ ...request, body: Buffer.from(update) });
          expect(alone).toHaveLength(1);
          expect(route.read(alone[0]!)).toEqual(route.read(update));
        }
      }
    },
  },
  {
    title: 'keeps what it does not know as one update',
    run(connector, { genuine }) {
      for (const request of genuine.filter(({ body }) => body.length > 0)) {
        const route = routeOf(connector, request);
        for (const text of ['{"nobody":"knows"}', 'neither this']) {
          expect(route.split({ ...request, body: Buffer.from(text) })).toEqual([text]);
        }
      }
    },
  },
  {
    title: 'takes bodies of a few MiB at most',
    run({ routes }) {
      for (const { bodyLimit } of routes) expect(bodyLimit).toBeLessThanOrEqual(largestBody);
    },
  },
  {
    title: 'has addresses that the hub has not',
    run({ routes }) {
      const taken: string[] = operations.flatMap(({ path, aliases = [] }) => [path, ...aliases]);
      const paths = routes.map(({ path }) => path);
      expect(paths.filter((path) => taken.includes(path) || ownPath.test(path))).toEqual([]);
    },
  },
];
