import type { IncomingMessage } from 'node:http';
import { Failure } from '#actors/errors.ts';
import type { InboundRoute, ParsedRequest, RawRequest } from '#src/connectors/connector.ts';
import { ingest } from '#src/ingest/ingest.ts';
import { sortMessages } from '#src/ingest/messages.ts';
import { answered, type HandlerParts } from './handle.ts';
import type { Outgoing } from './outgoing.ts';

/**
 * Everything from a platform's call to its answer: whether it is genuine, what it says, store it. Answers 200 once all
 * of it is durable, also where there is nothing to store: a platform repeats what is refused. Never throws.
 */
export const handleInbound = (
  parts: HandlerParts,
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
    const parsed = route.parse(raw);
    if (parsed === null) parts.services.log.warn({ requestId, inbound: route.path }, 'inbound.not_understood');
    else await store(parts, route, parsed, requestId);
    return outgoing(parsed);
  });

function rawRequest({ services }: HandlerParts, request: IncomingMessage, body: Buffer): RawRequest {
  const { method = '', url = '/', headers } = request;
  const address = services.config.server.publicUrl || `http://${headers.host}`;
  return { method, url: URL.parse(url, address) ?? new URL(url, 'http://localhost'), headers, body };
}

/** A channel that is unknown or not connected is the platform's own affair: what is about it is left out. */
async function store(
  { services }: HandlerParts,
  route: InboundRoute,
  { inbound }: ParsedRequest,
  requestId: string,
): Promise<void> {
  const commands = services.commandsFor({ cause: requestId });
  for (const part of inbound) {
    const sorted = sortMessages(services.store.channels, part);
    const { length: leftOut } = sorted.unusable;
    if (leftOut > 0) {
      services.log.warn({ requestId, inbound: route.path, source: part.source, leftOut }, 'inbound.no_channel');
    }
    await ingest({ commands, store: services.store }, part, sorted);
  }
}

function outgoing(parsed: ParsedRequest | null): Outgoing {
  const { answer } = parsed ?? {};
  if (answer === undefined) return { status: 200, body: null, headers: {} };
  return { status: 200, body: answer.body, headers: { 'Content-Type': answer.contentType } };
}
