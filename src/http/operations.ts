import { accountForms } from '#src/connectors/registry.ts';
import { listAudit } from './audit/list.ts';
import { accountOperations } from './channels/accounts.ts';
import { connectChatpluginChannel } from './channels/chatplugin/connect.ts';
import { disconnectChatpluginChannel } from './channels/chatplugin/disconnect.ts';
import { infoChannel } from './channels/info.ts';
import { listChannels } from './channels/list.ts';
import { updateChannel } from './channels/update.ts';
import { authenticateChatplugin } from './chatplugin/authenticate.ts';
import { resumeTokenChatplugin } from './chatplugin/resume-token.ts';
import { sendChatplugin } from './chatplugin/send.ts';
import { clientConfig } from './client/config.ts';
import { deleteComponents } from './components/delete.ts';
import { getComponents } from './components/get.ts';
import { installComponent } from './components/install.ts';
import { listComponents } from './components/list.ts';
import { uninstallComponent } from './components/uninstall.ts';
import { updateComponents } from './components/update.ts';
import { createContact } from './contacts/create.ts';
import { deleteContact } from './contacts/delete.ts';
import { eraseContact } from './contacts/erase.ts';
import { importContacts } from './contacts/import.ts';
import { infoContact } from './contacts/info.ts';
import { listContacts } from './contacts/list.ts';
import { mergeContacts } from './contacts/merge.ts';
import { recentContactMessages } from './contacts/recent-messages.ts';
import { updateContact } from './contacts/update.ts';
import { infoConversation } from './conversations/info.ts';
import { listConversations } from './conversations/list.ts';
import { markConversationRead } from './conversations/mark-read.ts';
import { refetchConversation } from './conversations/refetch.ts';
import { removeConversationState } from './conversations/remove-state.ts';
import { setConversationState } from './conversations/set-state.ts';
import { tagConversation } from './conversations/tag.ts';
import { typingConversation } from './conversations/typing.ts';
import { untagConversation } from './conversations/untag.ts';
import { updateConversationContact } from './conversations/update-contact.ts';
import { listDeadLetters } from './dead-letters/list.ts';
import { redriveDeadLetter } from './dead-letters/redrive.ts';
import { listEvents } from './events/list.ts';
import { createKey } from './keys/create.ts';
import { listKeys } from './keys/list.ts';
import { revokeKey } from './keys/revoke.ts';
import { uploadMedia } from './media/upload.ts';
import { infoMessage } from './messages/info.ts';
import { listMessages } from './messages/list.ts';
import { rawMessage } from './messages/raw.ts';
import { resendMessage } from './messages/resend.ts';
import { sendMessage } from './messages/send.ts';
import { suggestReplies } from './messages/suggest-replies.ts';
import { upsertMetadata } from './metadata/upsert.ts';
import type { Operation } from './operation.ts';
import { endSession } from './sessions/end.ts';
import { listSessions } from './sessions/list.ts';
import { createSourceChannel } from './sources/channels/create.ts';
import { disconnectSourceChannel } from './sources/channels/disconnect.ts';
import { listSourceChannels } from './sources/channels/list.ts';
import { createSource } from './sources/create.ts';
import { deleteSource } from './sources/delete.ts';
import { listSources } from './sources/list.ts';
import { updateSource } from './sources/update.ts';
import { sourceWebhook } from './sources/webhook.ts';
import { createTag } from './tags/create.ts';
import { deleteTag } from './tags/delete.ts';
import { listTags } from './tags/list.ts';
import { updateTag } from './tags/update.ts';
import { createTemplate } from './templates/create.ts';
import { deleteTemplate } from './templates/delete.ts';
import { infoTemplate } from './templates/info.ts';
import { listTemplates } from './templates/list.ts';
import { updateTemplate } from './templates/update.ts';
import { listUsers } from './users/list.ts';
import { deleteWebhook } from './webhooks/delete.ts';
import { listWebhookDeliveries } from './webhooks/deliveries.ts';
import { infoWebhook } from './webhooks/info.ts';
import { listWebhooks } from './webhooks/list.ts';
import { replayWebhook } from './webhooks/replay.ts';
import { subscribeWebhook } from './webhooks/subscribe.ts';
import { testWebhook } from './webhooks/test.ts';
import { unsubscribeWebhook } from './webhooks/unsubscribe.ts';
import { updateWebhook } from './webhooks/update.ts';

/** Every operation of the API. */
export const operations: readonly Operation[] = [
  createSource,
  listSources,
  updateSource,
  deleteSource,
  createSourceChannel,
  listSourceChannels,
  disconnectSourceChannel,
  sourceWebhook,
  listChannels,
  infoChannel,
  updateChannel,
  connectChatpluginChannel,
  disconnectChatpluginChannel,
  ...accountForms.flatMap(accountOperations),
  authenticateChatplugin,
  resumeTokenChatplugin,
  sendChatplugin,
  listConversations,
  infoConversation,
  markConversationRead,
  setConversationState,
  removeConversationState,
  updateConversationContact,
  refetchConversation,
  typingConversation,
  createContact,
  importContacts,
  listContacts,
  infoContact,
  updateContact,
  deleteContact,
  eraseContact,
  mergeContacts,
  recentContactMessages,
  tagConversation,
  untagConversation,
  infoMessage,
  listMessages,
  rawMessage,
  sendMessage,
  resendMessage,
  suggestReplies,
  upsertMetadata,
  uploadMedia,
  createTag,
  listTags,
  updateTag,
  deleteTag,
  createTemplate,
  listTemplates,
  infoTemplate,
  updateTemplate,
  deleteTemplate,
  listEvents,
  subscribeWebhook,
  updateWebhook,
  unsubscribeWebhook,
  listWebhooks,
  infoWebhook,
  deleteWebhook,
  testWebhook,
  listWebhookDeliveries,
  replayWebhook,
  clientConfig,
  listComponents,
  getComponents,
  updateComponents,
  deleteComponents,
  installComponent,
  uninstallComponent,
  listDeadLetters,
  redriveDeadLetter,
  createKey,
  listKeys,
  revokeKey,
  listUsers,
  listSessions,
  endSession,
  listAudit,
];
