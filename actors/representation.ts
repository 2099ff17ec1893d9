/** The shapes that leave the hub: what the API answers and what events carry (docs/api.md, "Conventions"). */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type DeliveryState = 'pending' | 'failed' | 'delivered';

export interface MessageJson {
  id: string;
  content: Json;
  state: DeliveryState;
  delivery_state: DeliveryState;
  from_contact: boolean;
  /** ISO 8601 UTC with milliseconds. */
  sent_at: string;
  source: string;
  metadata: JsonObject;
  sender: { id: string; name?: string; avatar_url?: string };
}

export interface ChannelJson {
  id: string;
  source: string;
  source_channel_id: string;
  source_id?: string;
  metadata: JsonObject;
  connected: boolean;
}

export interface ConversationJson {
  id: string;
  created_at: string;
  channel: ChannelJson;
  metadata: JsonObject;
  /** Absent until there is a message. */
  last_message?: MessageJson;
  unread_count: number;
}

export interface SourceJson {
  source_id: string;
  action_endpoint?: string;
  name?: string;
  image_url?: string;
}

export interface WebhookSubscriptionJson {
  id: string;
  name?: string;
  url: string;
  events: string[];
  headers: Record<string, string>;
  status: 'Subscribed' | 'Unsubscribed';
  /** Where it stands inside Subscribed; `suspended` after five days of only failures. */
  state: string;
  /** Events that retention took before they were sent; absent: none. */
  missed_events?: number;
}

/** What a tag can look like; `client.config` says how. */
export const tagColors = ['tag-red', 'tag-blue', 'tag-green', 'tag-purple'] as const;
export type TagColor = (typeof tagColors)[number];

export interface TagJson {
  id: string;
  name: string;
  color: TagColor;
}

export interface TemplateJson {
  id: string;
  name: string;
  /** Whose messages it is written for. */
  source: string;
  /** A message of that source, as `messages.send` takes it. */
  content: Json;
}

/** One delivery of a webhook subscription, as `webhooks.deliveries` shows it. */
export interface WebhookDeliveryJson {
  /** The `webhook-id` header of every attempt. */
  id: string;
  event: { type: string; seq: number | null };
  status: 'delivered' | 'scheduled' | 'dead';
  /** The newest hundred, oldest first. */
  attempts: { at: string; duration_ms: number; status: number | null; reason: string | null; answer: string }[];
}

/** A person, over several conversations. */
export interface ContactJson {
  id: string;
  display_name?: string;
  avatar_url?: string;
  title?: string;
  timezone?: string;
  gender?: string;
  locale?: string;
  organization_name?: string;
  via?: JsonObject;
  address?: JsonObject;
  /** Conversation → source. */
  conversations: Record<string, string>;
  metadata?: JsonObject;
  created_at: string;
}

/** An API key, without its text. */
export interface ApiKeyJson {
  id: string;
  name: string;
  operations: string[];
  /** Absent: bound to no source. */
  sources?: string[];
  created_by: string;
  created_at: string;
  last_used_at?: string;
  revoked_at?: string;
}

/** A person whom an identity provider names. */
export interface UserJson {
  /** `<provider>:<user id>`. */
  id: string;
  first_seen_at: string;
  last_seen_at: string;
  name?: string;
  avatar_url?: string;
}

/** A login of a user that is not over. */
export interface SessionJson {
  id: string;
  user_id: string;
  started_at: string;
  expires_at: string;
}

/** A turn as operators see it: who asked whom for what. */
export interface AuditEntryJson {
  at: string;
  /** A caller, or what the hub did by itself. */
  by: { kind: string; id?: string };
  request_id?: string;
  /** `id` absent: it was refused, or the actor is forgotten. */
  actor: { kind: string; id?: string };
  type: string;
  command_id: string;
  /** Types of what it told the world. */
  events: string[];
  /** Code of the refusal. */
  refused?: string;
}

/** A component as events show it. */
export interface ComponentJson {
  name: string;
  installation_status: 'uninstalled' | 'pending' | 'installed';
  enabled: boolean;
  /** Secrets are masked. Absent: it is the configuration file's. */
  configuration?: JsonObject;
}

/** The event types that the hub publishes. */
export const eventTypes = [
  'message.created',
  'message.updated',
  'conversation.updated',
  'channel.updated',
  'metadata.updated',
  'tag.updated',
  'webhook.updated',
  'component.updated',
  'contact.updated',
] as const;
export type EventType = (typeof eventTypes)[number];

/** The kinds of actors that tell events. */
export const subjectTypes = ['conversation', 'channel', 'tag', 'webhook-subscription', 'component', 'contact'] as const;

/** Whom an event is about: whose counter its `seq` is. The conversation also for what its messages do. */
export interface EventSubject {
  type: (typeof subjectTypes)[number];
  id: string;
}

/** An event on every transport: WebSocket, webhooks, `events.list`. */
export interface EventJson {
  type: EventType;
  subject: EventSubject;
  payload: JsonObject;
  /** Epoch ms. */
  timestamp: number;
  /** Gapless from 1 within the subject. */
  seq: number;
  /** Opaque position in the feed right after this event. */
  cursor: string;
}

/** ISO 8601 UTC with three fraction digits and `Z`. */
export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();
