import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { CommandSender } from '#actors/commands.ts';
import { requestCause } from '#actors/cause.ts';
import { Failure } from '#actors/errors.ts';
import type { StoredAnswer } from '#actors/idempotency-key/contract.ts';
import { namespaces } from '#actors/ids.ts';
import { uuidV5 } from '#actors/uuid.ts';
import { switchOf } from '#src/features.ts';
import type { Metrics } from '#src/metrics.ts';
import type { Auth } from '#src/security/auth.ts';
import { type Caller, type CallerOf, callerName, type Scope } from '#src/security/caller.ts';
import type { Gate } from '#src/security/gate.ts';
import { boundServices } from '#src/security/bound-services.ts';
import { assertMayCall } from '#src/security/permission.ts';
import type { Origin, Services } from '#src/services.ts';
import { addressOf } from './address.ts';
import { type Bodies, bodyLimit } from './bodies.ts';
import { defect } from './errors.ts';
import {
  claim,
  type ClaimedKey,
  complete,
  isFinal,
  keyedRequest,
  restored,
  shownMessage,
  stripped,
} from './idempotency.ts';
import { clientAddress } from './client-address.ts';
import { parseBody } from './json-body.ts';
import { arrival } from './media/arrival.ts';
import { type Answer, bodyText, type Call, type Operation } from './operation.ts';
import { type Outgoing, refusal } from './outgoing.ts';
import { validBody } from './request-body.ts';
import type { RequestQueues } from './request-queues.ts';

/** What handling needs besides the request. */
export interface HandlerParts {
  services: Services;
  auth: Auth;
  gate: Pick<Gate, 'cookiesOf'>;
  metrics: Metrics;
  bodies: Bodies;
  queues: RequestQueues;
}

const requestIdPattern = /^[\x21-\x7e]{1,128}$/;

/** The caller's X-Request-Id where it is usable, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders, services: Pick<Services, 'ids'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && requestIdPattern.test(given) ? given : services.ids.uuid();
}

/** Everything from a request to its answer, in order: who, may they, what, was it done before, do it. Never throws. */
export const handle = (
  parts: HandlerParts,
  operation: Operation,
  request: IncomingMessage,
  requestId: string,
): Promise<Outgoing> =>
  answered(parts, { operation: operation.path }, requestId, () => answer(parts, operation, request, requestId));

/** One unit of work behind an address: an operation, a route of a connector, or a step of a login. */
export type Unit = { operation: string } | { inbound: string } | { login: string };

/** Does the work of a request: whatever it throws becomes an answer, and every answer is counted and logged once. */
export async function answered(
  { services, metrics }: HandlerParts,
  unit: Unit,
  requestId: string,
  work: () => Promise<Outgoing>,
): Promise<Outgoing> {
  const [[kind, path]] = Object.entries(unit) as [[string, string]];
  const started = performance.now();
  let outgoing: Outgoing;
  let code: string | undefined;
  try {
    outgoing = await work();
  } catch (error) {
    const known = error instanceof Failure ? error : services.unread(error);
    if (known === null) services.log.error({ requestId, ...unit, error }, `${kind}.failed`);
    const failure = known ?? defect(requestId);
    code = failure.code;
    outgoing = refusal(failure);
  }
  const ms = performance.now() - started;
  metrics.operation(path, outgoing.status, ms / 1000);
  services.log.info(
    {
      ...unit,
      status: outgoing.status,
      ms: Math.round(ms * 10) / 10,
      requestId,
      ...(code && { code }),
    },
    `${kind}.answered`,
  );
  return outgoing;
}

async function answer(
  parts: HandlerParts,
  operation: Operation,
  request: IncomingMessage,
  requestId: string,
): Promise<Outgoing> {
  const { services, auth, gate } = parts;
  const { headers } = request;
  // Before the body: who may not call costs no memory.
  const caller = await auth.identify(operation.auth, {
    authorization: headers.authorization,
    cookie: gate.cookiesOf(headers),
  });
  assertMayCall(caller, operation);
  assertFeature(operation, services);
  const name = callerName(caller);
  using given = operation.takesFile
    ? await fileGiven(services, request)
    : await jsonGiven(parts, operation, request, name);
  const { bytes, body } = given;
  const { server } = services.config;
  const from = { address: clientAddress(server, request), page: headers.origin };
  const asked = { caller, requestId, address: addressOf(server, headers), from };
  const key = headers['idempotency-key'];
  if (key === undefined || operation.isRead) return written(await operation.handle(call(services, asked, null), body));

  const keyed = keyedRequest(String(key), name, operation.path, bytes);
  const answered = await claim(services.commandsFor(originOf({ requestId, caller })), keyed);
  if ('first' in answered) return await replayed(services, operation, answered.first);
  const { claimed } = answered;
  return await once(services, call(services, asked, claimed), operation, body, claimed);
}

/** What a request brought: its body as the operation takes it, and the bytes that tell it from another one. */
interface Given extends Disposable {
  body: unknown;
  bytes: Buffer;
}

/** Reads and checks a body, when it is the caller's turn: from then on the request costs others something. */
async function jsonGiven(
  { bodies, queues }: HandlerParts,
  operation: Operation,
  request: IncomingMessage,
  caller: string,
): Promise<Given> {
  using held = new DisposableStack();
  const { bytes } = held.use(await bodies.read(request, operation.bodyLimit ?? bodyLimit, caller));
  const entry = held.use(await queues.enter(caller));
  // One that only reads is done at once, or waits elsewhere.
  if (operation.isRead) entry.end();
  const body = validBody(operation, parseBody(bytes, request.headers));
  if (operation.waits) entry.end();
  const kept = held.move();
  return { body, bytes, [Symbol.dispose]: () => kept.dispose() };
}

async function fileGiven(services: Services, request: IncomingMessage): Promise<Given> {
  const file = await arrival(services, request);
  return { body: file, bytes: Buffer.from(`${file.sha256} ${file.name}`), [Symbol.dispose]() {} };
}

/** Does the work of a claimed key and keeps the answer, a refusal too. Of several at once one answer is the first. */
async function once(
  services: Services,
  call: Call<CallerOf<Scope>>,
  operation: Operation,
  body: unknown,
  keyed: ClaimedKey,
): Promise<Outgoing> {
  let outgoing: Outgoing;
  try {
    outgoing = written(await operation.handle(call, body));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    outgoing = refusal(error);
    if (!isFinal(outgoing.status)) throw error;
  }
  const kept = await stripped(services, operation, outgoing);
  const first = await complete(services.commandsFor(originOf(call)), keyed, kept, shownMessage(operation, kept));
  return first === null ? outgoing : await replayed(services, operation, first);
}

/** The first answer of a key, as whoever comes later gets it. */
async function replayed(services: Services, operation: Operation, answer: StoredAnswer): Promise<Outgoing> {
  const first = await restored(services, operation, answer);
  return { ...first, headers: { ...first.headers, 'Idempotency-Replayed': 'true' } };
}

const originOf = ({ requestId, caller }: Pick<Call, 'requestId' | 'caller'>): Origin => ({
  cause: requestCause(callerName(caller), requestId),
  caller: callerName(caller),
});

function call<C extends Caller>(
  all: Services,
  asked: Pick<Call<C>, 'caller' | 'requestId' | 'address' | 'from'>,
  keyed: ClaimedKey | null,
): Call<C> {
  const { caller } = asked;
  const services = caller.kind === 'key' && caller.sources !== null ? boundServices(all, caller.sources) : all;
  let commands: CommandSender | null = null;
  let made = 0;
  return {
    services,
    ...asked,
    get commands() {
      commands ??= services.commandsFor({ ...originOf(asked), ...(keyed && { idempotencyKey: keyed.root }) });
      return commands;
    },
    get longReads() {
      return services.longReadsFor(callerName(asked.caller));
    },
    newId: () => (keyed ? uuidV5(namespaces.command, 'id', keyed.root, String(made++)) : services.ids.uuid()),
  };
}

function assertFeature({ feature }: Operation, { features }: Services): void {
  if (feature === undefined || features.isOn(feature)) return;
  const { component, key } = switchOf(feature);
  const message = `This feature is off. Switch it on by ${key} in the configuration, or as the component ${component}.`;
  throw new Failure('feature_disabled', message);
}

const written = (answer: Answer): Outgoing => ({
  status: answer.status,
  body: bodyText(answer),
  headers: answer.headers ?? {},
});
