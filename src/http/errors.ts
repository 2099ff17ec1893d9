import { Failure, type FailureCode, type FailureData } from '#actors/errors.ts';

/** Failure code → HTTP status. `docs/errors.md` says when each happens and what to do; a test holds them together. */
export const statusOf: Record<FailureCode, number> = {
  invalid_request: 400,
  malformed_json: 400,
  unsupported_media_type: 415,
  body_too_large: 413,
  invalid_cursor: 400,
  cursor_expired: 410,
  invalid_filter: 400,
  query_too_slow: 400,
  invalid_idempotency_key: 400,
  idempotency_conflict: 409,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  upgrade_required: 426,
  feature_disabled: 409,
  source_exists: 409,
  channel_unknown: 400,
  channel_not_connected: 403,
  source_cannot_start_conversation: 400,
  message_not_failed: 409,
  metadata_too_large: 400,
  ambiguous_target: 400,
  too_many_unknown_targets: 400,
  overloaded: 503,
  deadline_exceeded: 503,
  unavailable: 503,
  not_owner: 503,
  internal: 500,
};

/** The body of every 4xx and 5xx. */
export interface ErrorBody {
  error: string;
  code: FailureCode;
  details?: FailureData['details'];
}

/** A failure as it goes out. */
export function errorAnswer(failure: Failure): { status: number; body: ErrorBody; headers: Record<string, string> } {
  const { code, message, details, retryAfter } = failure.toData();
  return {
    status: statusOf[code],
    body: { error: message, code, ...(details && { details }) },
    headers: {
      ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
      // RFC 9110 §11.6.1 asks for it on every 401.
      ...(code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer realm="parley"' }),
    },
  };
}

/** What a caller sees of a defect: nothing of its inside. The log line with the same request id has it. */
export const defect = (requestId: string): Failure =>
  new Failure('internal', `The hub failed to handle this request. Report the request id ${requestId}.`);

/** `messages[3].content`, the root as `body`. */
export function pathOf(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) text += typeof part === 'number' ? `[${part}]` : `${text && '.'}${String(part)}`;
  return text || 'body';
}
