import type { Services } from '#src/services.ts';
import { page, type Route, type Served } from './door.ts';

const answer = (status: number, body: object): Served => ({ status, body: JSON.stringify(body), headers: {} });

/** `live`: the process answers. `ready`: it can do its work; 503 with the reasons until then. */
export function healthRoutes(services: Services): Route[] {
  const ready = async (): Promise<Served> => {
    const problems = services.health.flatMap(({ name, problem }) => {
      const text = problem();
      return text === null ? [] : [{ part: name, problem: text }];
    });
    return problems.length === 0 ? answer(200, { status: 'ok' }) : answer(503, { status: 'unavailable', problems });
  };
  return [
    { ...page('/health/live', async () => answer(200, { status: 'ok' })), anyHost: true },
    { ...page('/health/ready', ready), anyHost: true },
  ];
}
