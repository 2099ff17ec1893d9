import type { ReadMarker, TypingNotifier } from '../powers.ts';
import { type BizMapsApi, isResult } from './api.ts';

const representative = { representativeType: 'HUMAN' };

export const typingBy = (api: BizMapsApi): TypingNotifier => ({
  async notify({ sourceConversationId: conversation }, typing, tools) {
    const body = { eventType: typing ? 'TYPING_STARTED' : 'TYPING_STOPPED', representative };
    await api.call({ conversation, path: `/events?eventId=typing-${tools.now()}`, body }, tools);
  },
});

export const readMarkerBy = (api: BizMapsApi): ReadMarker => ({
  async markRead({ sourceConversationId: conversation }, lastMessage, tools) {
    const path = `/messages/${encodeURIComponent(lastMessage)}/receipt` as const;
    const made = await api.call({ method: 'PATCH', conversation, path, body: { receiptType: 'READ' } }, tools);
    const isLost = isResult(made)
      ? made.kind === 'failed' || (made.kind === 'answered' && (made.status >= 500 || made.status === 429))
      : made.kind !== 'rejected';
    return isLost ? 'unreachable' : 'done';
  },
});
