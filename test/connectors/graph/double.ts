import { answered, app, seen } from './platform.ts';
import type { OutgoingClient, OutgoingRequest } from '#src/outgoing/client.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';

/** What the platform is called for, by method and path, and its answers. */
export type Answers = Readonly<Record<string, object | ((body: unknown) => object | OutgoingResult)>>;

/** A client by which a hub reaches a platform that knows these answers only. */
export function doubleOf(answers: Answers) {
  const calls: string[] = [];
  const client: OutgoingClient = {
    async send(request: OutgoingRequest) {
      const [method, , body] = seen(request);
      const path = new URL(request.url).href.slice(app.apiBase.length).split('?')[0]!;
      calls.push(`${method} ${path}`);
      const answer = answers[`${method} ${path}`];
      const said = typeof answer === 'function' ? answer(body) : answer;
      if (said === undefined) return answered(404, { error: { message: 'Unknown path components', code: 2500 } });
      return 'kind' in said ? (said as OutgoingResult) : answered(200, said);
    },
    close: async () => {},
  };
  return { calls, client };
}
