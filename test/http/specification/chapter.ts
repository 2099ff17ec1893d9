import { afterAll, beforeAll, expect } from 'vitest';
import { HubProcess } from '../../_support/hub-process.ts';
import { SourceClient } from '../../_support/source-client.ts';

/** Values that an example of the specification shows by their form only. */
export const aUuid: string = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
/** `yyyy-MM-dd'T'HH:mm:ss.SSSZ`, in UTC. */
export const aTime: string = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** What is opaque to clients. */
export const aCursor: string = expect.stringMatching(/^[\w-]+$/);

/** The id that a hub without authentication names as the sender. */
export const anonymousSender = 'parley-core-anonymous';

/** A UUID that nothing has. */
export const unknownId = '0192f3a4-5b6c-7d8e-9f01-23456789abce';

/** A Message as the examples of the specification have it. */
export interface MessageExample {
  id: string;
  content: unknown;
  state: string;
  metadata: Record<string, unknown>;
}

/** A list with pages. */
export interface Listed<T = { id: string }> {
  data: T[];
  pagination_data: { previous_cursor: string | null; next_cursor: string | null; total: number };
}

/** An event on any transport. */
export interface EventExample {
  type: string;
  subject: { type: string; id: string };
  payload: Record<string, unknown>;
  seq: number;
  cursor: string;
}

/** The hub that the examples of one chapter are asked of, with the custom source `shop` and its channel `line`. */
export class Chapter {
  hub!: HubProcess;
  shop!: SourceClient;

  async begin(env: Record<string, string>): Promise<void> {
    this.hub = await HubProcess.start({ env });
    this.shop = await SourceClient.register(this.hub, 'shop');
  }

  async end(): Promise<void> {
    await this.shop?.[Symbol.asyncDispose]();
    await this.hub?.[Symbol.asyncDispose]();
  }

  /** Asks for an operation as anyone. */
  post<T = unknown>(operation: string, body: unknown = {}, headers: Record<string, string> = {}) {
    return this.hub.post<T>(`/${operation}`, body, headers);
  }

  /** The same as the source `shop`. */
  asShop<T = unknown>(operation: string, body: unknown = {}): Promise<{ status: number; body: T }> {
    return this.shop.post<T>(`/${operation}`, body);
  }

  /** Pushes texts of a contact. @returns the id of their conversation */
  async conversationOf(contact: string, ...texts: string[]): Promise<string> {
    let id = '';
    for (const text of texts) id = (await this.shop.ingest(contact, `${contact} ${text}`, text)).conversation_id;
    return id;
  }

  /** The channel `line`. */
  async channelId(): Promise<string> {
    const { body } = await this.asShop<{ data: { id: string }[] }>('sources.channels.list');
    return body.data[0]!.id;
  }

  /** Every event so far, of one conversation or of some types. */
  async events(asked: { conversation_id?: string; types?: string[] }): Promise<EventExample[]> {
    return (await this.post<{ data: EventExample[] }>('events.list', { page_size: 1_000, ...asked })).body.data;
  }
}

/** A chapter whose hub runs while the tests of a file do. @param env variables of its environment */
export function chapter(env: Record<string, string> = {}): Chapter {
  const begun = new Chapter();
  beforeAll(() => begun.begin(env), 30_000);
  afterAll(() => begun.end());
  return begun;
}
