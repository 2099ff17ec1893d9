import type { z } from 'zod';
import type { ChannelJson, JsonObject } from '#actors/representation.ts';
import type { Config } from '#src/config/config.ts';
import type { CallTools } from './calls.ts';

/**
 * A source whose accounts people connect by the API, declared once: the operations `/channels.<source>.connect` and
 * `.disconnect`, and `.explore` where it can, are made of it.
 */
export interface AccountForm<Request extends z.ZodObject = z.ZodObject> {
  /** What its channels are listed under. */
  readonly source: string;
  /** The key of the configuration that it needs, below `components.sources`. */
  readonly component: keyof Config['components']['sources'];
  /** The body of the operation besides `name` and `image_url`. */
  readonly request: Request;
  readonly example: z.input<Request>;
  /** Has the platform let the hub in. Must not reject. */
  connect(body: z.output<Request>, parts: AccountParts): Promise<LinkOutcome>;
  /** Has the platform send no more. Whatever it answers, the channel is disconnected. Must not reject. */
  disconnect?(account: LinkedAccount, parts: AccountParts): Promise<void>;
  /** `id`: what the answer calls the id of an account. */
  readonly explore?: { id: string; find: Explore };
}

/** Finds the accounts that a token is for. Must not reject. */
export type Explore = (authToken: string, parts: AccountParts) => Promise<ExploreOutcome>;

/** What a form works with. The configuration has its component. */
export interface AccountParts extends CallTools {
  config: Pick<Config, 'components' | 'server'>;
}

/** An account that is connected. */
export interface LinkedAccount {
  channel: ChannelJson;
  /** A secret; null: it was connected without one. */
  token: string | null;
}

/** `error`: the platform's own words where it has any, without secrets. */
export type LinkOutcome =
  | {
      kind: 'linked';
      sourceChannelId: string;
      /** What calls need from now on: it is kept sealed. Null: nothing. */
      token: string | null;
      /** Of the account at the platform, where the caller gives none. */
      imageUrl?: string;
      /** Other metadata of the channel. */
      metadata?: JsonObject;
    }
  | { kind: 'rejected'; error: string }
  | { kind: 'unreachable'; error: string };

export type ExploreOutcome =
  | { kind: 'found'; accounts: readonly FoundAccount[] }
  | { kind: 'rejected'; error: string }
  | { kind: 'unreachable'; error: string };

/** An account that could be connected. `id`: what its channel's `source_channel_id` would be. */
export interface FoundAccount {
  id: string;
  name: string;
  imageUrl: string | null;
}

/** Declares a form. The list holds forms of many bodies; each gets what its own schema made. */
export const accountForm = <Request extends z.ZodObject>(form: AccountForm<Request>): AccountForm =>
  form as unknown as AccountForm;
