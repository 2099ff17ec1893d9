import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Failure } from '#actors/errors.ts';
import type { Config } from '#src/config/config.ts';
import { isLoopback } from '#src/config/loopback.ts';
import { isForVisitors } from './visitor-paths.ts';

/**
 * Who comes in: `own`, no page at all or one of the hub; `named`, a page of an origin that may call; `anyone`, one that
 * only `*` lets in, or that comes for a visitor. Only the hub's own pages act with the cookies of their readers.
 */
export type Admission = 'own' | 'named' | 'anyone';

/** Metrics ask for no credential. */
export type Entrance = 'api' | 'metrics';

/** What the gate sees of a request: everything before its body. */
export type Head = Pick<IncomingMessage, 'url' | 'headers' | 'rawHeaders'>;

/** The part of the configuration that the gate needs. */
export interface GateRules {
  server: Pick<Config['server'], 'host' | 'publicUrl'>;
  security: Pick<Config['security'], 'authentication' | 'allowUnauthenticated' | 'allowedOrigins'>;
}

/** What stands before every door of a hub: asks for which host a request is meant, and which page sent it. */
export interface Gate {
  /** `/health/*` is open to every host, as whatever balances load may not know the hub's name. @throws Failure */
  admit(entrance: Entrance, head: Head): Admission;
  /**
   * Whether the Host header is one that only this hub can have. A web page whose name was made to point here (DNS
   * rebinding) has another: an address or `localhost` can not be such a name.
   */
  knowsHost(headers: IncomingHttpHeaders): boolean;
  /** The cookies of a request that passed, where it may act with them. */
  cookiesOf(headers: IncomingHttpHeaders): string | undefined;
}

const healthPath = /^\/health\//;

export function createGate(rules: GateRules): Gate {
  const knowsHost = ({ host = '' }: IncomingHttpHeaders): boolean => isOwnName(nameOf(host), rules.server);
  return {
    admit(entrance, head) {
      if (hostHeaders(head) > 1) throw new Failure('invalid_request', 'The request has more than one Host header.');
      const isHealth = entrance === 'api' && healthPath.test(head.url ?? '');
      if (!isHealth && asksForHost(entrance, rules) && !knowsHost(head.headers)) throw foreignHost();
      const admission = judgeOrigin(head.headers, rules) ?? (isForVisitors(head.url) ? 'anyone' : null);
      if (admission === null) throw foreignOrigin();
      return admission;
    },
    knowsHost,
    cookiesOf: (headers) => (actsForReader(headers, rules) ? headers.cookie : undefined),
  };
}

/** Of what a form can send, the hub's own page has to be named: not every browser names the one of another site. */
const actsForReader = (headers: IncomingHttpHeaders, rules: GateRules): boolean =>
  judgeOrigin(headers, rules) === 'own' && (headers.origin !== undefined || !isForm(headers));

/** What a page of any site can send without being asked, as it is no JSON. */
const isForm = ({ 'content-type': type }: IncomingHttpHeaders): boolean =>
  type !== undefined && !/^application\/json\b/i.test(type);

/** Not where a page under a foreign name would have no credential, or the hub is meant to be open to the network. */
function asksForHost(entrance: Entrance, { server, security }: GateRules): boolean {
  if (entrance === 'metrics') return true;
  return !security.authentication && (!security.allowUnauthenticated || isLoopback(server.host));
}

function isOwnName(name: string, { host, publicUrl }: GateRules['server']): boolean {
  if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')) return true;
  return name === host.toLowerCase() || name === URL.parse(publicUrl)?.hostname;
}

function judgeOrigin({ origin, host }: IncomingHttpHeaders, { server, security }: GateRules): Admission | null {
  if (origin === undefined) return 'own';
  const url = URL.parse(origin);
  if (url && (url.host === host || url.origin === URL.parse(server.publicUrl)?.origin)) return 'own';
  if (security.allowedOrigins.includes(origin)) return 'named';
  return security.allowedOrigins.includes('*') ? 'anyone' : null;
}

/** The name or address in a Host header. */
const nameOf = (host: string): string =>
  host
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();

/** `headers` has the first one only, and whatever stands before the hub may go by the other. */
const hostHeaders = ({ rawHeaders }: Head): number =>
  rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'host').length;

const foreignHost = (): Failure =>
  new Failure('forbidden', 'The Host header names no host of this hub. Set server.publicUrl to the name it has.');

const foreignOrigin = (): Failure =>
  new Failure(
    'forbidden',
    'Pages of this origin may not call: add it to security.allowedOrigins, or set server.publicUrl if it is the hub.',
  );
