import { defineKind } from '../runtime/kind.ts';
import { conversationHandlers, conversationTimer } from './commands.ts';
import { recogniseCollect } from './collecting.ts';
import { conversationContradictions } from './contradictions.ts';
import type { ConversationCommands } from './contract.ts';
import { deliveryReader } from './delivery-reader.ts';
import { conversationRenderers } from './events.ts';
import { fetchReader } from './fetch-reader.ts';
import { recogniseIngest } from './ingest.ts';
import { loadConversation } from './memory.ts';
import { messageReader } from './message-reader.ts';
import { conversationReader } from './reader.ts';
import { conversationReads } from './reads.ts';
import { conversations, formerEchoes, messageMedia, messages, parkedEchoes, parkedSends } from './tables.ts';

/** One conversation: its messages, their deliveries, what is unread. */
export const conversationKind = defineKind<ConversationCommands>()({
  name: 'conversation',
  machine: 'conversation',
  table: conversations,
  tables: [messages, formerEchoes, messageMedia, parkedSends, parkedEchoes],
  owned: [{ machine: 'message-delivery', table: messages, column: 'delivery' }],
  blank: {
    channel_id: null,
    source: '',
    source_conversation_id: '',
    created_at: null,
    agent_name: null,
    display_name: '',
    metadata: '{}',
    unread_count: 0,
    workflow: null,
    messages: 0,
    last_message: null,
    last_message_at: 0,
    erased_before: null,
    erased_name: null,
  },
  reads: conversationReads,
  load: loadConversation,
  handlers: conversationHandlers,
  recognised: {
    'messages.ingest': recogniseIngest,
    'messages.collect': recogniseCollect,
    // Done again it is the same, so it need not be known.
    'contact.typing': () => null,
    'messages.reached': () => null,
    'fetch.finish': () => null,
  },
  onTimer: conversationTimer,
  renderers: conversationRenderers,
  contradictions: conversationContradictions,
  followed: true,
  readers: {
    conversations: conversationReader,
    messages: messageReader,
    deliveries: deliveryReader,
    fetches: fetchReader,
  },
});
