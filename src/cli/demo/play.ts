import type { ApiClient } from '../api-client.ts';
import { FollowedEvents } from './followed-events.ts';

interface Line {
  who: 'contact' | 'agent';
  text: string;
}

export const contactName = 'Ada';
const lines: readonly Line[] = [
  { who: 'contact', text: 'Hello! Is the blue lamp back in stock?' },
  { who: 'contact', text: 'I could collect it today.' },
  { who: 'agent', text: 'Hi Ada, it came in this morning. Shall we keep one for you?' },
  { who: 'contact', text: 'Yes please.' },
  { who: 'agent', text: 'Done: it waits for you until Friday.' },
];

/** The parties of a running demo. */
export interface Stage {
  client: ApiClient;
  /** Is given each line as it happens. */
  print(line: string): void;
  interrupted: AbortSignal;
  /** The source takes a message of the contact to the hub. @returns the conversation's id */
  contactSays(text: string, number: number): Promise<string>;
  /** A text as the content of a message to the source. */
  contentOf(text: string): object;
}

/** The name of who speaks, as wide as every other one. */
export const speaker = (name: string): string => name.padEnd(8);

/** An agent answers through the core API; the hub hands the message to the source and says how that went. */
async function agentSays(stage: Stage, conversation: string, text: string, events: FollowedEvents): Promise<void> {
  const startedAt = Date.now();
  const sent = await stage.client.call<{ id: string; state: string } | undefined>('messages.send', {
    conversation_id: conversation,
    message: stage.contentOf(text),
  });
  if (!sent) throw new Error('messages.send did not find the conversation');
  stage.print(`  ${speaker('agent')} ${text}`);
  stage.print(`  ${speaker('')}   ${sent.state}`);
  const end = await events.next((message) => message.id === sent.id && message.delivery_state !== 'pending');
  if (end.delivery_state === 'failed') {
    throw new Error(
      `the hub could not deliver the message: ${end.metadata?.error ?? 'no reason given'}\n` +
        'The demo listens on loopback: outgoing.allowNetworks in parley.yaml must contain 127.0.0.0/8.',
    );
  }
  stage.print(`  ${speaker('')}   ${end.delivery_state} after ${Date.now() - startedAt} ms`);
}

/** Plays the conversation. @throws Error when a step fails */
export async function playLines(stage: Stage): Promise<void> {
  let conversation: string | undefined;
  let events: FollowedEvents | undefined;
  for (const [number, { who, text }] of lines.entries()) {
    if (who === 'contact') {
      const id = await stage.contactSays(text, number);
      if (id !== conversation) events = new FollowedEvents(stage.client, id, stage.interrupted);
      conversation = id;
      await events?.next((message) => message.from_contact);
      stage.print(`  ${speaker(contactName)} ${text}`);
    } else if (conversation !== undefined && events) {
      await agentSays(stage, conversation, text, events);
    }
  }
  const kept = await stage.client.call<{ pagination_data: { total: number } }>('messages.list', {
    conversation_id: conversation,
  });
  stage.print(`\nThe hub keeps ${kept.pagination_data.total} messages in conversation ${conversation}.`);
}
