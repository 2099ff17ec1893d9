import type { IncomingMessage } from 'node:http';
import { requestCause } from '#actors/cause.ts';
import { Failure } from '#actors/errors.ts';
import { mediaResolver } from '#src/config/catalogue.ts';
import { traitsOf } from '#src/connectors/traits.ts';
import type { InboundRoute, RawRequest } from '#src/connectors/connector.ts';
import { takeIn } from '#src/ingest/platform-updates.ts';
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
    await store(parts, route, route.split(raw), requestId);
    return outgoing(route.answer?.(raw));
  });

/** A platform shares the hub with the other callers like each of them. */
const callerOf = ({ path }: InboundRoute): string => `platform ${path}`;

function rawRequest({ services }: HandlerParts, request: IncomingMessage, body: Buffer): RawRequest {
  const { method = '', url = '/', headers } = request;
  const address = addressOf(services.config.server, headers);
  return { method, url: URL.parse(url, address) ?? new URL(url, 'http://localhost'), headers, body };
}

async function store(
  { services }: HandlerParts,
  route: InboundRoute,
  updates: readonly string[],
  requestId: string,
): Promise<void> {
  const about = { requestId, inbound: route.path };
  const read = updates.map((update) => route.read(update));
  const said = read.filter((inbound) => inbound !== null);
  const notUnderstood = read.length - said.length;
  if (notUnderstood > 0) services.log.warn({ ...about, updates: notUnderstood }, 'inbound.not_understood');
  const caller = callerOf(route);
  const commands = services.commandsFor({ cause: requestCause(caller, requestId), caller });
  const copiesMedia = services.components().some(({ entry, isOn }) => entry.name === mediaResolver && isOn);
  const traits = (source: string) => traitsOf(services.connectors, source, copiesMedia);
  await takeIn({ ...services, commands, traitsOf: traits }, said, about);
}

function outgoing(answer: { contentType: string; body: string } | undefined): Outgoing {
  if (answer === undefined) return { status: 200, body: null, headers: {} };
  return { status: 200, body: answer.body, headers: { 'Content-Type': answer.contentType } };
}
