/**
 * The closed list of failures that a caller can see. `docs/errors.md` documents each code, `src/http/errors.ts`
 * maps each to an HTTP status, and a test holds the three together.
 */
export const failureCodes = [
  'invalid_request',
  'malformed_json',
  'unsupported_media_type',
  'body_too_large',
  'insufficient_storage',
  'invalid_cursor',
  'cursor_expired',
  'invalid_filter',
  'query_too_slow',
  'invalid_idempotency_key',
  'idempotency_conflict',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'upgrade_required',
  'feature_disabled',
  'source_exists',
  'source_id_reserved',
  'channel_unknown',
  'channel_not_connected',
  'source_cannot_start_conversation',
  'source_rejected',
  'source_unreachable',
  'message_not_failed',
  'conversation_erased',
  'metadata_too_large',
  'ambiguous_target',
  'too_many_unknown_targets',
  'rate_limited',
  'overloaded',
  'deadline_exceeded',
  'unavailable',
  'not_owner',
  'internal',
] as const;

export type FailureCode = (typeof failureCodes)[number];

/** One problem in a request: `path` as in `messages[3].content`, `problem` a sentence. */
export interface Problem {
  path: string;
  problem: string;
}

/** A failure as data: what crosses the bus and what a remembered answer holds. */
export interface FailureData {
  code: FailureCode;
  /** A sentence a person can act on. Never contains a secret. */
  message: string;
  details?: Problem[];
  /** Seconds after which trying again makes sense. */
  retryAfter?: number;
}

/** An expected failure. Everything else that is thrown is a defect and goes to the dead letters. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly details: Problem[] | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: FailureCode, message: string, extra: { details?: Problem[]; retryAfter?: number } = {}) {
    super(message);
    this.code = code;
    this.details = extra.details;
    this.retryAfter = extra.retryAfter;
  }

  toData(): FailureData {
    return {
      code: this.code,
      message: this.message,
      ...(this.details && { details: this.details }),
      ...(this.retryAfter !== undefined && { retryAfter: this.retryAfter }),
    };
  }

  static from(data: FailureData): Failure {
    return new Failure(data.code, data.message, {
      ...(data.details && { details: data.details }),
      ...(data.retryAfter !== undefined && { retryAfter: data.retryAfter }),
    });
  }
}
