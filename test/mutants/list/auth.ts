import type { Mutant } from '../mutant.ts';

const auth = 'test/security/auth.test.ts';
const ssrf = 'test/dispatch/ssrf.test.ts';
const sources = 'test/http/sources.test.ts';

/** Who may do what, whose keys are whose, and where calls may go. */
export const access: readonly Mutant[] = [
  {
    name: 'token-of-a-deleted-source-taken',
    file: 'src/security/auth.ts',
    from: 'if (services.store.sources.find(sourceId)?.issuedAt !== issuedAt) {',
    to: 'if (issuedAt === 0) {',
    breaks: 'a source that was removed goes on pushing',
    caughtBy: { file: auth, title: 'refuses a known token as soon as its source is gone' },
  },
  {
    name: 'system-token-compared-by-prefix',
    file: 'src/security/auth.ts',
    from: 'timingSafeEqual(sha256(token), systemToken)',
    to: 'security.systemToken.reveal().startsWith(token)',
    breaks: 'a few letters open the hub',
    caughtBy: { file: auth, title: 'lets in who it says' },
  },
  {
    name: 'token-of-another-audience-taken',
    file: 'src/security/source-token.ts',
    from: '{ typ: type, audience, algorithms',
    to: '{ typ: type, algorithms',
    breaks: 'a token made for something else opens the source API',
    caughtBy: { file: 'test/security/source-token.test.ts', title: 'are refused when anything about them is foreign' },
  },
  {
    name: 'source-disconnects-the-channel-of-another',
    file: 'src/http/sources/channels/disconnect.ts',
    from: 'if (services.store.channels.find(channel_id)?.source_id !== sourceId) {',
    to: "if (sourceId === '') {",
    breaks: 'one source takes the channels of another down',
    caughtBy: { file: sources, title: 'are disconnected by their source alone' },
  },
  {
    name: 'source-sees-the-channels-of-another',
    file: 'src/http/sources/channels/list.ts',
    from: 'services.store.channels.list({ sourceId })',
    to: 'services.store.channels.list({})',
    breaks: 'one source reads the tokens of the channels of another',
    caughtBy: { file: sources, title: 'show their token to their source alone' },
  },
  {
    name: 'host-check-off',
    file: 'src/http/door.ts',
    from: 'if (!anyHost && !isOwnHost(this.#services.config, incoming.headers)) return this.refuse(c, foreignHost());',
    to: '',
    breaks: 'a web page reaches an open hub by a name that it makes point here',
    caughtBy: { file: 'test/http/server.test.ts', title: 'refuses host names that are not its own' },
  },
  {
    name: 'mapped-address-allowed',
    file: 'src/outgoing/address-guard.ts',
    from: 'canonical(address) !== null && (allow.has(address) ||',
    to: 'canonical(address) !== null && (/^::ffff:/i.test(address) || allow.has(address) ||',
    breaks: 'a URL with an IPv4 address in IPv6 form reaches the inner network',
    caughtBy: { file: ssrf, title: 'refuses the literal' },
  },
  {
    name: 'one-allowed-address-suffices',
    file: 'src/outgoing/address-guard.ts',
    from: 'if (!addresses.every(allows)) throw',
    to: 'if (!addresses.some(allows)) throw',
    breaks: 'a name with one public and one inner address reaches the inner one',
    caughtBy: { file: ssrf, title: 'refuses the name' },
  },
  {
    name: 'name-looked-up-again',
    file: 'src/outgoing/guarded-connector.ts',
    from: 'connect({ ...options, hostname: address }, (error, opened) => {',
    to: 'connect(options, (error, opened) => {',
    breaks: 'a name that answers differently the second time leads to the inner network',
    caughtBy: { file: ssrf, title: 'checks anew for each connection after a rebinding' },
  },
  {
    name: 'redirect-followed',
    file: 'src/outgoing/client.ts',
    from: 'else result = await send(url, request);',
    to: "else {\n        result = await send(url, request);\n        const to = result.kind === 'answered' ? result.headers['location'] : undefined;\n        if (to !== undefined) result = await send(new URL(String(to), url), request);\n      }",
    breaks: 'a receiver sends a signed call wherever it likes',
    caughtBy: { file: 'test/dispatch/client.test.ts', title: 'without following it' },
  },
  {
    name: 'generation-left-out-of-the-root',
    file: 'src/http/idempotency.ts',
    from: 'root: `${actor} ${bodyHash} ${generation}`',
    to: 'root: `${actor} ${bodyHash}`',
    breaks: 'a key that is used again after a day is answered with old work, and nothing is done',
    caughtBy: { file: 'test/http/handle.test.ts', title: 'is another request once it is more than a day old' },
    simulation: 'notices',
  },
  {
    name: 'keys-of-two-callers-shared',
    file: 'src/http/idempotency.ts',
    from: 'uuidV5(namespaces.idempotencyKey, caller, path, key)',
    to: 'uuidV5(namespaces.idempotencyKey, path, key)',
    breaks: 'one caller gets the answer of another',
    caughtBy: { file: 'test/http/handle.test.ts', title: "is its caller's alone" },
  },
  {
    name: 'key-taken-with-another-body',
    file: 'actors/idempotency-key/commands.ts',
    from: 'if (row.body_hash !== bodyHash) {',
    to: "if (row.body_hash === '') {",
    breaks: 'a second request is answered with the first one, and never done',
    caughtBy: { file: 'test/http/handle.test.ts', title: 'is refused with another body' },
  },
];
