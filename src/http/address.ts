import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '#src/config/config.ts';

/** The address under which a request reached the hub, without a slash at its end. */
export const addressOf = ({ publicUrl }: Config['server'], { host }: IncomingHttpHeaders): string =>
  (publicUrl || `http://${host}`).replace(/\/$/, '');
