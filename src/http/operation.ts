import type { z } from 'zod';
import type { CommandSender } from '#actors/commands.ts';
import type { FailureCode } from '#actors/errors.ts';
import type { Caller, CallerOf, Scope } from '#src/security/caller.ts';
import type { Services } from '#src/services.ts';

/** What an operation is given of the request besides its body. */
export interface Call<C extends Caller = Caller> {
  services: Services;
  /** Sends commands whose cause is this request; with an Idempotency-Key their ids come from it. */
  commands: CommandSender;
  requestId: string;
  /** Who calls: one of those whom the scope of the operation lets in. */
  caller: C;
  /** An id that stays the same when the request is repeated with its Idempotency-Key within a day. */
  newId(): string;
}

/** A call of the core API. */
export type CoreCall = Call<CallerOf<'core'>>;

/** A call of a source. */
export type SourceCall = Call<CallerOf<'source'>>;

/** What goes out: `body` undefined means none. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** One operation, declared once: the router, the OpenAPI document and the tests read it. */
export interface Operation<Request = unknown, S extends Scope = Scope> {
  /** `/<resource>.<verb>`. */
  path: `/${string}.${string}`;
  aliases?: readonly string[];
  summary: string;
  /** Who may call. */
  auth: S;
  /** The feature that must be switched on, else 409 `feature_disabled`. */
  feature?: 'source-api' | 'webhook';
  request: z.ZodType<Request>;
  /** A body that the request schema accepts. */
  example: unknown;
  /** Status → schema of the body, null without one. */
  responses: Record<number, z.ZodType | null>;
  /** Failures of its own, besides those that every operation has. */
  errors: readonly FailureCode[];
  handle(call: Call<CallerOf<S>>, body: Request): Answer | Promise<Answer>;
}

/**
 * Declares an operation. The table holds operations of many request types and scopes; each handler gets what its own
 * schema made, and a caller whom its own scope let in.
 */
export const defineOperation = <Request, S extends Scope>(operation: Operation<Request, S>): Operation =>
  operation as unknown as Operation;

/** 200 with a body. */
export const ok = (body: unknown): Answer => ({ status: 200, body });

/** 204, or another status without a body. */
export const empty = (status = 204): Answer => ({ status });
