import { Failure, type FailureCode, type FailureData } from '#actors/errors.ts';

/** Failure code → HTTP status. `docs/errors.md` says when each happens and what to do; a test holds them together. */
export const statusOf: Record<FailureCode, number> = {
  invalid_request: 400,
  malformed_json: 400,
  unsupported_media_type: 415,
  body_too_large: 413,
  insufficient_storage: 507,
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
  source_id_reserved: 409,
  channel_unknown: 400,
  channel_not_connected: 403,
  source_cannot_start_conversation: 400,
  source_rejected: 400,
  source_unreachable: 502,
  message_not_failed: 409,
  conversation_erased: 409,
  metadata_too_large: 400,
  ambiguous_target: 400,
  too_many_unknown_targets: 400,
  rate_limited: 429,
  overloaded: 503,
  deadline_exceeded: 503,
  unavailable: 503,
  not_owner: 503,
  internal: 500,
};

/** When each happens, as `docs/errors.md` has it. */
export const meaningOf: Record<FailureCode, string> = {
  invalid_request: 'a field is missing, has the wrong type or a value out of its bounds, or nothing would come of it',
  malformed_json: 'the body is not JSON in UTF-8',
  unsupported_media_type: 'a body without `Content-Type: application/json`, or a compressed one',
  body_too_large: 'the body is over 1 MiB',
  insufficient_storage: 'a file is uploaded and there is no room for it',
  invalid_cursor: 'the cursor was not given by this operation',
  cursor_expired: 'the events behind the cursor are no longer kept',
  invalid_filter: '`filters` does not parse',
  query_too_slow: 'a list query took longer than 2 s',
  invalid_idempotency_key: 'the `Idempotency-Key` is not 1 to 255 visible ASCII characters',
  idempotency_conflict: 'the key was used with another body within 24 hours',
  unauthorized:
    'the credential is missing or is not one of this hub, the source of the token was deleted, the API key was revoked, or the login is over',
  forbidden:
    "the credential is good, but not for this operation, this channel or these sources; a platform's request is not signed as its source signs",
  not_found: 'the path, or the thing that an id names, does not exist',
  method_not_allowed: 'another method than the path takes',
  upgrade_required: "a WebSocket's path is asked for a page",
  feature_disabled: 'the feature is off',
  source_exists: 'a source with this `source_id` exists',
  source_id_reserved: 'the `source_id` is kept for a source of the hub’s own',
  channel_unknown: 'a disconnect names a channel that does not exist',
  channel_not_connected: 'a message is to go out over a channel that is disconnected, or whose source is switched off',
  source_cannot_start_conversation: 'the source does not let a business write first',
  source_rejected: 'the platform does not let the hub in with what was given',
  source_unreachable: 'the platform could not be reached',
  message_not_failed: 'only a failed message can be sent again',
  conversation_erased: 'a message is to go to a person of whom everything was erased',
  metadata_too_large:
    'a message, a conversation or a channel would get more than 64 KiB of metadata, or metadata nested deeper than 32 levels',
  ambiguous_target: 'metadata names a conversation or a message by an id that the source has given to several',
  too_many_unknown_targets:
    'a source has said something about more than 10,000 conversations and messages that have not appeared',
  rate_limited: 'visitors have asked for this too often, from one address or on one channel',
  overloaded: 'more work is queued than the hub takes',
  deadline_exceeded: 'the work was not begun in time, so it was dropped',
  unavailable: 'a part of the hub does not answer, for example while it restarts',
  not_owner: 'another node has just taken over the actor that the request is about',
  internal: 'a defect of the hub',
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
