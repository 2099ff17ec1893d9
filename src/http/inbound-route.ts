import type { IncomingMessage } from 'node:http';
import { requestCause } from '#actors/cause.ts';
import { Failure } from '#actors/errors.ts';
import type { InboundRoute, ParsedRequest, RawRequest } from '#src/connectors/connector.ts';
import { ingest } from '#src/ingest/ingest.ts';
import { sortMessages } from '#src/ingest/messages.ts';
import { checkMetadata } from '#src/ingest/metadata-check.ts';
import { metadataIn } from '#src/ingest/receipts.ts';
import { plausibleTime } from '#src/ingest/times.ts';
import { addressOf } from './address.ts';
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
    using _ = await parts.queues.enter(callerOf(route));
    const parsed = route.parse(raw);
    if (parsed === null) parts.services.log.warn({ requestId, inbound: route.path }, 'inbound.not_understood');
    else await store(parts, route, parsed, requestId);
    return outgoing(parsed);
  });

/** A platform shares the hub with the other callers like each of them. */
const callerOf = ({ path }: InboundRoute): string => `platform ${path}`;

function rawRequest({ services }: HandlerParts, request: IncomingMessage, body: Buffer): RawRequest {
  const { method = '', url = '/', headers } = request;
  const address = addressOf(services.config.server, headers);
  return { method, url: URL.parse(url, address) ?? new URL(url, 'http://localhost'), headers, body };
}

/**
 * A platform can not mend what it sends: what can not be stored is left out, with a line in the log, and a message of an
 * impossible time was sent now.
 */
async function store(
  { services }: HandlerParts,
  route: InboundRoute,
  { inbound }: ParsedRequest,
  requestId: string,
): Promise<void> {
  const { store, features, clock } = services;
  const caller = callerOf(route);
  const commands = services.commandsFor({ cause: requestCause(caller, requestId), caller });
  const now = clock.now();
  for (const part of inbound) {
    const messages = part.messages.map((item) => ({ ...item, sentAt: plausibleTime(item.sentAt, now) }));
    const sorted = sortMessages(store.channels, { ...part, messages }, now);
    const metadata = metadataIn(part);
    const unusable = new Set(checkMetadata(store, part.source, sorted, metadata).map(({ index }) => index));
    const note = (leftOut: number, event: string): void => {
      const { source } = part;
      if (leftOut > 0) services.log.warn({ requestId, inbound: route.path, source, leftOut }, event);
    };
    note(sorted.unusable.length, 'inbound.unusable_messages');
    note(unusable.size, 'inbound.unusable_metadata');
    const usable = metadata.filter((_, index) => !unusable.has(index));
    await ingest({ commands, store, features }, part.source, sorted, usable);
  }
}

function outgoing(parsed: ParsedRequest | null): Outgoing {
  const { answer } = parsed ?? {};
  if (answer === undefined) return { status: 200, body: null, headers: {} };
  return { status: 200, body: answer.body, headers: { 'Content-Type': answer.contentType } };
}
