import { serve } from '@hono/node-server';
import type { Hono } from 'hono';

/** What a baseline logs once it answers. */
export const readyMessage = 'baseline.ready';

/** Answers on any free loopback port until SIGTERM, then runs `close`. */
export function serveApp(app: Hono, close: () => void = () => {}): void {
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
    console.log(JSON.stringify({ msg: readyMessage, url: `http://127.0.0.1:${port}` }));
  });
  process.once('SIGTERM', () => {
    server.close();
    close();
    process.exit();
  });
}
