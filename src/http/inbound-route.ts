import type { IncomingMessage } from 'node:http';
import { Failure } from '#actors/errors.ts';
import type { InboundRoute, RawRequest } from '#src/connectors/connector.ts';
import { platformCaller, type UpdateReceiver } from '#src/ingest/receiver.ts';
import { addressOf } from './address.ts';
import { answered, type HandlerParts } from './handle.ts';
import type { Outgoing } from './outgoing.ts';

/**
 * Everything from a platform's call to its answer: whether it is genuine, then its updates are taken in. Answers 200 once
 * all of it is durable, also where there is nothing to store: a platform repeats what is refused. Never throws.
 */
export const handleInbound = (
  parts: HandlerParts & { receiver: UpdateReceiver },
  route: InboundRoute,
  request: IncomingMessage,
  requestId: string,
): Promise<Outgoing> =>
  answered(parts, { inbound: route.path }, requestId, async () => {
    using body = await parts.bodies.read(request, route.bodyLimit);
    const raw = rawRequest(parts, request, body.bytes);
    if (!route.verify(raw)) {
      throw new Failure('forbidden', `The request to ${route.path} is not signed as its source signs.`);
    }
    using _ = await parts.queues.enter(platformCaller(route));
    await parts.receiver.receive(route, route.split(raw), requestId);
    return outgoing(route.answer?.(raw));
  });

function rawRequest({ services }: HandlerParts, request: IncomingMessage, body: Buffer): RawRequest {
  const { method = '', url = '/', headers } = request;
  const address = addressOf(services.config.server, headers);
  return { method, url: URL.parse(url, address) ?? new URL(url, 'http://localhost'), headers, body };
}

function outgoing(answer: { contentType: string; body: string } | undefined): Outgoing {
  if (answer === undefined) return { status: 200, body: null, headers: {} };
  return { status: 200, body: answer.body, headers: { 'Content-Type': answer.contentType } };
}
