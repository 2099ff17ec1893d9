import type { z } from 'zod';
import type { CommandSender } from '#actors/commands.ts';
import type { Sender } from '#actors/conversation/contract.ts';
import type { FailureCode } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';

/** What an operation is given of the request besides its body. */
export interface Call {
  services: Services;
  /** Sends commands whose cause is this request; with an Idempotency-Key their ids come from it. */
  commands: CommandSender;
  requestId: string;
  /** Who calls the core API; the author of messages. */
  sender: Sender;
  /** The authenticated source of operations with the scope `source`. */
  sourceId: string;
  /** An id that stays the same when the request is repeated with its Idempotency-Key within a day. */
  newId(): string;
}

/** What goes out: `body` undefined means none. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Who may call: `core` as security.authentication says, `source` with a source token, `public` anyone. */
export type AuthScope = 'core' | 'source' | 'public';

/** One operation, declared once: the router, the OpenAPI document and the tests read it. */
export interface Operation<Request = unknown> {
  /** `/<resource>.<verb>`. */
  path: `/${string}.${string}`;
  aliases?: readonly string[];
  summary: string;
  auth: AuthScope;
  /** The feature that must be switched on, else 409 `feature_disabled`. */
  feature?: 'source-api' | 'webhook';
  request: z.ZodType<Request>;
  /** A body that the request schema accepts. */
  example: unknown;
  /** Status → schema of the body, null without one. */
  responses: Record<number, z.ZodType | null>;
  /** Failures of its own, besides those that every operation has. */
  errors: readonly FailureCode[];
  handle(call: Call, body: Request): Answer | Promise<Answer>;
}

/** Declares an operation. The table holds operations of many request types; each handler gets what its own schema made. */
export const defineOperation = <Request>(operation: Operation<Request>): Operation => operation as unknown as Operation;

/** 200 with a body. */
export const ok = (body: unknown): Answer => ({ status: 200, body });

/** 204, or another status without a body. */
export const empty = (status = 204): Answer => ({ status });
