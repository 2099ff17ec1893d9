import type { Authentication, Json, Message } from './contract.ts';
import type { Environment } from './environment.ts';

/** An answer of the hub that is none of the expected: 4xx or 5xx. */
export class Refusal extends Error {
  readonly status: number;
  /** Ms that the hub asks to wait; 0 when it does not. */
  readonly retryAfter: number;

  constructor(status: number, message: string, retryAfter: number) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** The same request can succeed later, also because the channel is on again. */
  get passes(): boolean {
    return this.status >= 500 || [403, 404, 408, 409, 429].includes(this.status);
  }
}

/** Whether the channel takes no visitors for now. */
export const isOff = (error: unknown): boolean =>
  error instanceof Refusal && error.status < 500 && ![401, 408, 429].includes(error.status);

/** Ms to wait at least before it is asked again. */
export const waitAfter = (error: unknown): number => (error instanceof Refusal ? error.retryAfter : 0);

/** The operations of the hub that a visitor may call. */
export interface Api {
  /** Begins a conversation on a channel, or goes on with one. */
  authenticate(by: { channel_id: string } | { resume_token: string }): Promise<Authentication>;
  /** What the conversation can be gone on with, for a week. */
  resumeToken(token: string): Promise<string>;
  /** @param name of the Message in its conversation: the same one is the same Message, however often it is sent */
  send(token: string, content: Json, name: string): Promise<Message>;
}

const patience = 20_000;

export function createApi(host: string, { fetch, clock }: Pick<Environment, 'fetch' | 'clock'>): Api {
  const post = async <T>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> => {
    const given = new AbortController();
    const cancel = clock.schedule(patience, () => given.abort());
    try {
      const response = await fetch(host + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
        credentials: 'omit',
        signal: given.signal,
      });
      if (!response.ok) throw refusalOf(response, await response.json().catch(() => null));
      return (await response.json()) as T;
    } finally {
      cancel();
    }
  };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  return {
    authenticate: (by) => post('/chatplugin.authenticate', by),
    resumeToken: async (token) =>
      (await post<{ resume_token: string }>('/chatplugin.resumeToken', {}, bearer(token))).resume_token,
    send: (token, content, name) =>
      post('/chatplugin.send', { message: content, source_message_id: name }, bearer(token)),
  };
}

function refusalOf({ status, headers }: Response, answer: unknown): Refusal {
  const seconds = Number(headers.get('Retry-After'));
  const { error = `The hub answered ${status}.` } = (answer ?? {}) as { error?: string };
  return new Refusal(status, error, seconds > 0 ? seconds * 1000 : 0);
}
