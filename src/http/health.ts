import { Hono } from 'hono';
import type { Services } from '#src/services.ts';

/** `live`: the process answers. `ready`: it can do its work; 503 with the reasons until then. */
export function healthRoutes(services: Services): Hono {
  const app = new Hono();
  app.get('/health/live', (c) => c.json({ status: 'ok' }));
  app.get('/health/ready', (c) => {
    const problems = services.health.flatMap(({ name, problem }) => {
      const text = problem();
      return text === null ? [] : [{ part: name, problem: text }];
    });
    return problems.length === 0 ? c.json({ status: 'ok' }) : c.json({ status: 'unavailable', problems }, 503);
  });
  return app;
}
