import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Gate } from '#src/security/gate.ts';
import type { Services } from '#src/services.ts';

type Env = { Bindings: HttpBindings };

/**
 * `live`: the process answers. `ready`: it can do its work; 503 until then, with the reasons for who knows the hub's
 * host: these doors are open to others too.
 */
export function healthRoutes(services: Services, gate: Gate): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/health/live', (c) => c.json({ status: 'ok' }));
  app.get('/health/ready', (c) => {
    const problems = services.health.flatMap(({ name, problem }) => {
      const text = problem();
      return text === null ? [] : [{ part: name, problem: text }];
    });
    if (problems.length === 0) return c.json({ status: 'ok' });
    const isKnown = gate.knowsHost(c.env.incoming.headers);
    return c.json({ status: 'unavailable', ...(isKnown && { problems }) }, 503);
  });
  return app;
}
