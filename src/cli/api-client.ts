import type { ApiTarget } from './workspace.ts';

/** An answer of the API that says no, or none at all (`status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;

  constructor(message: string, status: number, code: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Calls operations of a hub: `call('messages.send', body)` is POST /messages.send. */
export interface ApiClient {
  readonly endpoint: string;
  /**
   * @param token another credential than the workspace's, such as a source's token.
   * @returns the JSON of the answer; undefined for an empty one.
   * @throws ApiError
   */
  call<T>(operation: string, body?: object, token?: string): Promise<T>;
}

const timeoutMs = 20_000;

function failureOf(operation: string, status: number, text: string): ApiError {
  try {
    const { error, code } = JSON.parse(text) as { error?: unknown; code?: unknown };
    if (typeof error === 'string') return new ApiError(`${operation}: ${error}`, status, String(code ?? ''));
  } catch {
    // Not JSON, so not from the hub: the status is all there is to say.
  }
  return new ApiError(`${operation} answered with status ${status}`, status, '');
}

export function createApiClient(target: ApiTarget): ApiClient {
  const { endpoint } = target;
  return {
    endpoint,
    async call<T>(operation: string, body: object = {}, token = target.token): Promise<T> {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
      // Loaded when it is needed: a hub's own process has no use for it.
      const { request } = await import('undici');
      const answer = await request(`${endpoint}/${operation}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      }).catch((error: NodeJS.ErrnoException) => {
        const reason = error.code ?? error.name;
        throw new ApiError(
          `no hub answers at ${endpoint} (${reason}): start one with "npm start" or "parley serve"`,
          0,
          '',
        );
      });
      const text = await answer.body.text();
      if (answer.statusCode >= 400) throw failureOf(operation, answer.statusCode, text);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
  };
}
