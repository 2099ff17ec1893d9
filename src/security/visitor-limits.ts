import { Failure } from '#actors/errors.ts';
import type { Clock } from '#actors/ports.ts';
import type { Config } from '#src/config/config.ts';

/** What visitors do that is bounded. */
export type VisitorAct = 'authenticate' | 'send';

/** As many as may be had at once; they come again evenly. */
interface Bucket {
  tokens: number;
  /** When they were counted, by a clock that nobody sets, in ms. */
  at: number;
}

const minute = 60_000;
/** Names that have done something lately, at most; the one that was new first is forgotten. */
const remembered = 100_000;

/** How often visitors do something, from one address and on one channel: a bucket of tokens for each, in memory. */
export class VisitorLimits {
  readonly #limits: Config['visitors'];
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: Config['visitors'], clock: Pick<Clock, 'elapsed'>) {
    this.#limits = limits;
    this.#clock = clock;
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
    const now = this.#clock.elapsed();
    const { tokens, at } = this.#buckets.get(name) ?? { tokens: perMinute, at: now };
    const left = Math.min(perMinute, tokens + ((now - at) * perMinute) / minute);
    const isEnough = left >= 1;
    this.#keep(name, { tokens: isEnough ? left - 1 : left, at: now });
    if (isEnough) return;
    const retryAfter = Math.ceil(((1 - left) * minute) / perMinute / 1_000);
    throw new Failure('rate_limited', `Too many requests came ${where}; wait ${retryAfter} s.`, { retryAfter });
  }

  #keep(name: string, bucket: Bucket): void {
    if (!this.#buckets.has(name) && this.#buckets.size >= remembered) {
      this.#buckets.delete(this.#buckets.keys().next().value!);
    }
    this.#buckets.set(name, bucket);
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
