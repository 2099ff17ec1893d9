import { Failure } from '#actors/errors.ts';
import type { Clock } from '#actors/ports.ts';
import type { Config } from '#src/config/config.ts';
import { TokenBuckets } from '#src/runtime/token-buckets.ts';

/** What visitors do that is bounded. */
export type VisitorAct = 'authenticate' | 'send';

/** How often visitors do something, from one address and on one channel: a bucket of tokens for each, in memory. */
export class VisitorLimits {
  readonly #limits: Config['visitors'];
  readonly #buckets: TokenBuckets;

  constructor(limits: Config['visitors'], clock: Pick<Clock, 'elapsed'>) {
    this.#limits = limits;
    this.#buckets = new TokenBuckets(clock);
  }

  /** @param address of who asks @throws Failure `rate_limited` */
  admitAddress(act: VisitorAct, address: string): void {
    const perMinute = act === 'send' ? this.#limits.sendsPerAddress : this.#limits.authenticationsPerAddress;
    this.#take(`${act} address ${networkOf(address)}`, perMinute, 'from this address');
  }

  /** @throws Failure `rate_limited` */
  admitChannel(act: VisitorAct, channelId: string): void {
    const perMinute = act === 'send' ? this.#limits.sendsPerChannel : this.#limits.authenticationsPerChannel;
    this.#take(`${act} channel ${channelId}`, perMinute, 'on this channel');
  }

  /** Who comes back to a conversation by a valid token: as often as an address may come. @throws Failure `rate_limited` */
  admitVisitor(conversationId: string): void {
    this.#take(
      `authenticate visitor ${conversationId}`,
      this.#limits.authenticationsPerAddress,
      'for this conversation',
    );
  }

  #take(name: string, perMinute: number, where: string): void {
    const wait = this.#buckets.take([[name, { perSecond: perMinute / 60, burst: perMinute }]]);
    if (wait === null) return;
    const retryAfter = Math.ceil(wait / 1_000);
    throw new Failure('rate_limited', `Too many requests came ${where}; wait ${retryAfter} s.`, { retryAfter });
  }
}

/** Whoever has one address of IPv6 has all of its /64. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - groups.length - last.length)).fill('0');
  return [...groups, ...zeros, ...last].slice(0, 4).join(':');
}
