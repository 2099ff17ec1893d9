import type { IncomingMessage } from 'node:http';
import type { Gate } from '#src/security/gate.ts';
import type { Services } from '#src/services.ts';
import { page, type Route, type Served } from './door.ts';

const answer = (status: number, body: object): Served => ({ status, body: JSON.stringify(body), headers: {} });

/**
 * `live`: the process answers. `ready`: it can do its work; 503 until then, with the reasons for who knows the hub's
 * host: these doors are open to others too.
 */
export function healthRoutes(services: Services, gate: Gate): Route[] {
  const ready = async ({ headers }: IncomingMessage): Promise<Served> => {
    const checked = services.health.flatMap(({ name, problem }) => {
      const text = problem();
      return text === null ? [] : [{ part: name, problem: text }];
    });
    const problems = [...checked, ...services.problems.list()];
    if (problems.length === 0) return answer(200, { status: 'ok' });
    return answer(503, { status: 'unavailable', ...(gate.knowsHost(headers) && { problems }) });
  };
  return [page('/health/live', async () => answer(200, { status: 'ok' })), page('/health/ready', ready)];
}
