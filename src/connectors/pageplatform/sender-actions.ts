import type { PlatformApp } from '#src/config/config.ts';
import type { CallTools } from '../calls.ts';
import { ask, type GraphAnswer } from '../graph/calls.ts';
import type { ConversationAtSource, ReadMarker, TypingNotifier } from '../powers.ts';

/** Shows the contact what happens on the page's side. Null: the channel has no token. */
async function act(
  app: PlatformApp,
  { sourceConversationId, token }: ConversationAtSource,
  action: 'mark_seen' | 'typing_on' | 'typing_off',
  tools: CallTools,
): Promise<GraphAnswer | null> {
  if (token === null) return null;
  const body = { recipient: { id: sourceConversationId }, sender_action: action };
  return ask(app, token, { path: ['me', 'messages'], body }, tools);
}

export const readMarkerOf = (app: PlatformApp): ReadMarker => ({
  async markRead(conversation, _lastMessage, tools) {
    const answer = await act(app, conversation, 'mark_seen', tools);
    return answer?.kind === 'unreachable' ? 'unreachable' : 'done';
  },
});

export const typingOf = (app: PlatformApp): TypingNotifier => ({
  async notify(conversation, typing, tools) {
    await act(app, conversation, typing ? 'typing_on' : 'typing_off', tools);
  },
});
