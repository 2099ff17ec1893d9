import type { Effect } from '#machines/step.ts';
import { metadataText } from '../metadata.ts';
import type { ConversationRuntime } from './memory.ts';
import { announceConversationMetadata, saveConversation } from './writer.ts';

/**
 * Shows that the contact types, or shows it no longer, as a step of the conversation asks.
 * @returns whether the conversation shows something else now
 * @throws Failure `metadata_too_large`
 */
export function reflectTyping(runtime: ConversationRuntime, effects: readonly Effect[]): boolean {
  const isBegun = effects.some(({ type }) => type === 'showTyping');
  if (!isBegun && !effects.some(({ type }) => type === 'hideTyping')) return false;
  const { isUserTyping: _, ...others } = runtime.memory.metadata;
  const metadata = isBegun ? { ...others, isUserTyping: true } : others;
  saveConversation(runtime, { metadata: metadataText(metadata) });
  announceConversationMetadata(runtime);
  return true;
}
