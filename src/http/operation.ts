import { z } from 'zod';
import type { CommandSender } from '#actors/commands.ts';
import type { FailureCode } from '#actors/errors.ts';
import { JsonText } from '#actors/json.ts';
import type { MediaFacts } from '#actors/media/contract.ts';
import type { Caller, CallerOf, Scope } from '#src/security/caller.ts';
import type { Feature } from '#src/features.ts';
import type { LongReads } from '#src/runtime/long-reads.ts';
import type { KeyAccess } from '#src/security/permission.ts';
import type { Services } from '#src/services.ts';
import type { AnswerHeader } from './documents/headers.ts';

/** Where a request comes from: what its connection and its headers say. */
export interface RequestOrigin {
  /** Of the client, as far as it is known. */
  address: string;
  /** Of the page; undefined: none asks. */
  page: string | undefined;
}

/** What an operation is given of the request besides its body. */
export interface Call<C extends Caller = Caller> {
  services: Services;
  /** Sends commands whose cause is the caller with this request; with an Idempotency-Key their ids come from it. */
  commands: CommandSender;
  /** Long reads on behalf of the caller. */
  longReads: LongReads;
  requestId: string;
  /** The hub's, as the caller reached it. */
  address: string;
  /** Where the request comes from. */
  from: RequestOrigin;
  /** Who calls: one of those whom the scope of the operation lets in. */
  caller: C;
  /** An id that stays the same when the request is repeated with its Idempotency-Key within a day. */
  newId(): string;
}

/** A call of the core API. */
export type CoreCall = Call<CallerOf<'core'>>;

/** A call of a source. */
export type SourceCall = Call<CallerOf<'source'>>;

/** What goes out: `body` undefined means none; `JsonText` goes out as it is. */
export interface Answer<S extends number = number, B = unknown> {
  status: S;
  body: B;
  headers?: Record<string, string>;
}

/** Status → schema of the body, null without one. */
export type Responses = Readonly<Record<number, z.ZodType | null>>;

type BodyOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** The answers that declared responses allow. */
export type AnswerOf<R extends Responses> = {
  [S in keyof R & number]: Answer<S, BodyOf<R[S]> | JsonText<BodyOf<R[S]>>>;
}[keyof R & number];

/** One operation, declared once: the router, the OpenAPI document and the tests read it. */
export interface Operation<Request = unknown, R extends Responses = Responses, S extends Scope = Scope> {
  /** `/<resource>.<verb>`. */
  path: `/${string}.${string}`;
  aliases?: readonly string[];
  summary: string;
  /** Who may call. */
  auth: S;
  /** What API keys may do with it; absent: as `unbound`. */
  keys?: KeyAccess;
  /** The feature that must be switched on, else 409 `feature_disabled`. */
  feature?: Feature;
  request: z.ZodType<Request>;
  /** Bytes of the body at most, where that is not the usual. */
  bodyLimit?: number;
  /** Most of its time it waits for what others do: it does not count among its caller's requests at work. */
  waits?: true;
  /** It changes nothing: an Idempotency-Key means nothing to it, and its answers are not kept. */
  isRead?: true;
  /** Its body is a form with one file, which is kept before the handler is given what is known of it. */
  takesFile?: true;
  /** A body that the request schema accepts. */
  example: unknown;
  /** Every 2xx answer there is. The compiler holds the handler to it, and so do the tests, to the last field. */
  responses: R;
  /** What the document says of a 2xx answer besides its body, and which headers of its own it has. */
  answers?: Readonly<Record<number, { description?: string; headers?: readonly AnswerHeader[] }>>;
  /** Failures of its own, besides those that every operation has. */
  errors: readonly FailureCode[];
  handle(call: Call<CallerOf<S>>, body: Request): AnswerOf<R> | Promise<AnswerOf<R>>;
  /** Its 200 answer is a Message: what is kept of it for an Idempotency-Key is erased with that. */
  showsMessage?: true;
  /** Of an answer that holds a secret, or a person's data: how it is kept with an Idempotency-Key, and made again when it is repeated. */
  secret?: SecretAnswer;
}

/** Takes the secret out of a 2xx body, and puts the same one in again. */
export interface SecretAnswer {
  strip(services: Services, body: unknown): Promise<unknown>;
  restore(services: Services, stripped: unknown): Promise<unknown>;
}

/**
 * Declares an operation. The table holds operations of many request types, answers and scopes; each handler gets what
 * its own schema made, from a caller whom its own scope let in, and answers what it declared.
 */
export const defineOperation = <Request, R extends Responses, S extends Scope>(
  operation: Operation<Request, R, S>,
): Operation => operation as unknown as Operation;

/** What an operation that only reads is given: nothing to change something with. */
type ReadCall<C extends Caller> = Omit<Call<C>, 'commands' | 'newId'>;

/** Declares an operation that only reads. */
export const defineRead = <Request, R extends Responses, S extends Scope>(
  operation: Omit<Operation<Request, R, S>, 'handle'> & {
    handle(call: ReadCall<CallerOf<S>>, body: Request): AnswerOf<R> | Promise<AnswerOf<R>>;
  },
): Operation => defineOperation({ ...operation, isRead: true });

/** A file that came with a request and lies in the media folder by now. */
export interface UploadedFile extends MediaFacts {
  /** Of files with such content; null: it does not say what it is. */
  ending: string | null;
}

/** Declares an operation that takes a file. */
export const defineUpload = <R extends Responses, S extends Scope>(
  operation: Omit<Operation<UploadedFile, R, S>, 'request' | 'example' | 'takesFile'>,
): Operation =>
  defineOperation({
    ...operation,
    takesFile: true,
    // The form, for the document. What the handler gets was made of it on the way (`media/arrival.ts`).
    request: z.object({ file: z.string().meta({ format: 'binary' }) }) as unknown as z.ZodType<UploadedFile>,
    example: { file: 'The bytes of a file.' },
  });

/** The body of an answer as it goes out; null without one. */
export const bodyText = ({ body }: Answer): string | null =>
  body === undefined ? null : body instanceof JsonText ? body.text : JSON.stringify(body);

/** 200 with a body. */
export const ok = <B>(body: B): Answer<200, B> => ({ status: 200, body });

/** 201 with the thing that was made. */
export const created = <B>(body: B): Answer<201, B> => ({ status: 201, body });

/** A status without a body. */
export const empty = <S extends number>(status: S, headers: Record<string, string> = {}): Answer<S, undefined> => ({
  status,
  body: undefined,
  headers,
});
