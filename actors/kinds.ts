import { apiKeyKind } from './api-key/kind.ts';
import { channelKind } from './channel/kind.ts';
import { componentKind } from './component/kind.ts';
import { contactImportKind } from './contact-import/kind.ts';
import { contactKind } from './contact/kind.ts';
import { conversationKind } from './conversation/kind.ts';
import { idempotencyKeyKind } from './idempotency-key/kind.ts';
import { mediaKind } from './media/kind.ts';
import { type AnyKind, forgetTypes } from './runtime/kind.ts';
import { sourceKind } from './source/kind.ts';
import { sessionKind } from './user-session/kind.ts';
import type { TableShape } from './store/table.ts';
import { tagKind } from './tag/kind.ts';
import { templateKind } from './template/kind.ts';
import { userKind } from './user/kind.ts';
import { webhookSubscriptionKind } from './webhook-subscription/kind.ts';

/** Every kind of actor there is. */
export const declaredKinds = {
  conversation: conversationKind,
  channel: channelKind,
  contact: contactKind,
  'contact-import': contactImportKind,
  source: sourceKind,
  tag: tagKind,
  template: templateKind,
  'idempotency-key': idempotencyKeyKind,
  'webhook-subscription': webhookSubscriptionKind,
  'api-key': apiKeyKind,
  user: userKind,
  'user-session': sessionKind,
  component: componentKind,
  media: mediaKind,
} as const;

/** The same, as the runtime handles them. */
export const kinds: readonly AnyKind[] = Object.values(declaredKinds).map(forgetTypes);

/** The tables of every kind. */
export const kindTables: readonly TableShape[] = kinds.flatMap(({ table, tables = [] }) => [table, ...tables]);
