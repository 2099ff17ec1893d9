import type { CommandSender } from '#actors/commands.ts';
import { channelId, conversationId } from '#actors/ids.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import { foreignIdProblem } from './fields.ts';
import type { SignalItem } from './items.ts';

/** What raising signals works with. */
export interface SignalParts {
  commands: CommandSender;
  store: Pick<StoreReader, 'conversations'>;
}

/** Tells conversations what happened in them, in its order. One that is not there can not show it. */
export async function raiseSignals(
  { commands, store }: SignalParts,
  source: string,
  signals: readonly SignalItem[],
): Promise<void> {
  for (const signal of signals) {
    if ([signal.channel, signal.conversation].some((id) => foreignIdProblem(id) !== null)) continue;
    const id = conversationId(channelId(source, signal.channel), signal.conversation);
    if (store.conversations.find(id) !== null) await raise(commands, id, signal);
  }
}

async function raise(commands: CommandSender, conversation: string, signal: SignalItem): Promise<void> {
  switch (signal.kind) {
    case 'typing':
      await commands.send('conversation', conversation, 'contact.typing', { typing: signal.typing });
      return;
    case 'reached':
      await commands.send('conversation', conversation, 'messages.reached', {
        state: signal.state,
        until: signal.until,
      });
      return;
    case 'agent-requested':
      await commands.send('conversation', conversation, 'conversation.set-state', { state: 'OPEN' });
  }
}
