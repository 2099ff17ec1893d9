import { Failure } from '#actors/errors.ts';
import { isObject } from '#actors/json.ts';
import type { Cancel } from '#actors/ports.ts';
import type { Json } from '#actors/representation.ts';
import type { VisitReports } from '#src/ingest/visit-reports.ts';
import type { Services } from '#src/services.ts';
import type { TypingPace } from './typing-pace.ts';

type ReportServices = Pick<Services, 'clock' | 'log'>;

/** It forgets a visitor who goes on typing unless it is told again after this long, in ms. */
const repeatAfter = 6_000;

/** One socket of a visitor tells the conversation that the visitor types: at once, then seldom, and how it is in the end. */
export class TypingReport {
  readonly #services: ReportServices;
  readonly #reports: VisitReports;
  readonly #pace: TypingPace;
  #isTyping = false;
  #told = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  #cancel: Cancel | null = null;

  constructor(services: ReportServices, reports: VisitReports, pace: TypingPace) {
    this.#services = services;
    this.#reports = reports;
    this.#pace = pace;
  }

  /** How it is now: the client may say so with every key. */
  seen(isTyping: boolean): void {
    this.#isTyping = isTyping;
    if (this.#cancel !== null || !this.#isNews()) return;
    const wait = this.#pace.wait(this.#reports.conversationId);
    if (wait <= 0) this.#tell();
    else this.#cancel = this.#services.clock.schedule(wait, () => this.#tellLater());
  }

  /** The socket is closed: who has left does not type. */
  close(): void {
    this.#cancel?.();
    this.#isTyping = false;
    if (this.#told) this.#tell();
  }

  /** Whether the conversation would learn something. */
  #isNews(): boolean {
    if (this.#isTyping !== this.#told) return true;
    return this.#isTyping && this.#services.clock.elapsed() - this.#toldAt >= repeatAfter;
  }

  /** Another socket may have told meanwhile. */
  #tellLater(): void {
    this.#cancel = null;
    this.seen(this.#isTyping);
  }

  #tell(): void {
    const { clock, log } = this.#services;
    this.#told = this.#isTyping;
    this.#toldAt = clock.elapsed();
    this.#pace.told(this.#reports.conversationId);
    this.#reports.typing(this.#isTyping).catch((error) => {
      // What could not be told is out of date by the next key.
      if (!(error instanceof Failure)) log.error({ reason: String(error) }, 'visitor.typing_failed');
    });
  }
}

/** What the body of a frame says. @throws Failure `invalid_request` */
export function typingIn(body: Buffer): boolean {
  const said = parsed(body);
  if (isObject(said) && typeof said['typing'] === 'boolean') return said['typing'];
  throw new Failure('invalid_request', 'The body of a frame to /typing is {"typing": true} or {"typing": false}.');
}

function parsed(body: Buffer): Json {
  try {
    return JSON.parse(body.toString()) as Json;
  } catch {
    return null;
  }
}
