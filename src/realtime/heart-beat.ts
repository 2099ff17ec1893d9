import type { Cancel, Clock } from '#actors/ports.ts';
import { Failure } from '#actors/errors.ts';

/** What one side offers, ms: how often it can send, and how often it wants to hear. 0: not at all. */
export interface HeartBeatOffer {
  send: number;
  expect: number;
}

/** Periods that both sides keep to, ms; 0: none. */
export interface HeartBeats {
  sendEvery: number;
  expectEvery: number;
}

const both = (can: number, wants: number) => (can === 0 || wants === 0 ? 0 : Math.max(can, wants));

/**
 * What follows from our offer and the client's `heart-beat` header (1.2, "Heart-beating").
 * @throws Failure `invalid_request` for a header that is not two numbers
 */
export function agreeHeartBeats(ours: HeartBeatOffer, header: string | undefined): HeartBeats {
  if (header === undefined) return { sendEvery: 0, expectEvery: 0 };
  const parts = /^\s*(\d{1,9})\s*,\s*(\d{1,9})\s*$/.exec(header);
  if (!parts)
    throw new Failure('invalid_request', 'The heart-beat header must be two numbers of milliseconds: 30000,30000.');
  return { sendEvery: both(ours.send, Number(parts[2])), expectEvery: both(Number(parts[1]), ours.expect) };
}

export interface HeartBeatSide {
  beat(): void;
  /** Epoch ms of the last byte that came in. */
  lastHeard(): number;
  /** Nothing came for two periods; called once. */
  missed(): void;
}

/** Sends a beat each period, and watches for the other side's: a late timer on its side is forgiven, a second miss is not. */
export function startHeartBeats({ sendEvery, expectEvery }: HeartBeats, clock: Clock, side: HeartBeatSide): Cancel {
  let cancelSend: Cancel | undefined;
  let cancelWatch: Cancel | undefined;
  const patience = expectEvery * 2;
  const send = () => {
    side.beat();
    cancelSend = clock.schedule(sendEvery, send);
  };
  const watch = () => {
    const silent = clock.now() - side.lastHeard();
    if (silent >= patience) side.missed();
    else cancelWatch = clock.schedule(patience - Math.max(0, silent), watch);
  };
  if (sendEvery > 0) cancelSend = clock.schedule(sendEvery, send);
  if (expectEvery > 0) cancelWatch = clock.schedule(patience, watch);
  return () => {
    cancelSend?.();
    cancelWatch?.();
  };
}
