import { randomBytes } from 'node:crypto';
import { type ApiClient, ApiError } from '../api-client.ts';
import { FollowedEvents } from './followed-events.ts';
import { startSourceProcess } from './source-process.ts';

type Print = (line: string) => void;

interface Line {
  who: 'contact' | 'agent';
  text: string;
}

const contactName = 'Ada';
const lines: readonly Line[] = [
  { who: 'contact', text: 'Hello! Is the blue lamp back in stock?' },
  { who: 'contact', text: 'I could collect it today.' },
  { who: 'agent', text: 'Hi Ada, it came in this morning. Shall we keep one for you?' },
  { who: 'contact', text: 'Yes please.' },
  { who: 'agent', text: 'Done: it waits for you until Friday.' },
];

/** The parties of a running demo. `source` is its token: what the source authenticates with. */
interface Stage {
  client: ApiClient;
  source: string;
  channel: string;
  sourceChannel: string;
  print: Print;
  interrupted: AbortSignal;
}

const speaker = (name: string): string => name.padEnd(8);

/** The source takes a message of the contact to the hub. Returns the conversation's id. */
async function contactSays(stage: Stage, text: string, number: number): Promise<string> {
  const conversation = `${stage.sourceChannel}-ada`;
  const answer = await stage.client.call<{ messages: { id: string; conversation_id: string }[] }>(
    'sources.webhook',
    {
      messages: [
        {
          source_message_id: `${conversation}-${number}`,
          source_conversation_id: conversation,
          source_channel_id: stage.sourceChannel,
          source_sender_id: 'ada',
          content: { text },
          from_contact: true,
          sent_at: Date.now(),
        },
      ],
      metadata: [
        { namespace: 'conversation', source_id: conversation, metadata: { contact: { display_name: contactName } } },
      ],
    },
    stage.source,
  );
  const [message] = answer.messages;
  if (!message) throw new Error('sources.webhook answered without the message');
  return message.conversation_id;
}

/** An agent answers through the core API; the hub hands the message to the source and says how that went. */
async function agentSays(stage: Stage, conversation: string, text: string, events: FollowedEvents): Promise<void> {
  const startedAt = Date.now();
  const sent = await stage.client.call<{ id: string; state: string } | undefined>('messages.send', {
    conversation_id: conversation,
    message: { text },
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

async function playLines(stage: Stage): Promise<void> {
  let conversation: string | undefined;
  let events: FollowedEvents | undefined;
  for (const [number, { who, text }] of lines.entries()) {
    if (who === 'contact') {
      const id = await contactSays(stage, text, number);
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

/** Cleaning up goes on after a step that fails: the first reason to fail is the one to show. */
async function cleanUp(
  stage: Pick<Stage, 'client' | 'source' | 'print'>,
  sourceId: string,
  channel?: string,
): Promise<void> {
  const { client } = stage;
  try {
    if (channel !== undefined) await client.call('sources.channels.disconnect', { channel_id: channel }, stage.source);
    await client.call('sources.delete', { source_id: sourceId });
    stage.print('Cleaned up: channel disconnected, source deleted.');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    stage.print(`Not everything could be cleaned up: ${error.message}`);
  }
}

/**
 * Plays a conversation between a contact of a custom source and an agent through a running hub, and cleans up.
 * @param print is given each line as it happens.
 * @param interrupted ends the demo early, cleaned up as well.
 * @throws Error when a step fails, with what to do about it where that is known.
 */
export async function runDemo(client: ApiClient, print: Print, interrupted: AbortSignal): Promise<void> {
  const { cluster_version: version } = await client.call<{ cluster_version: string }>('client.config');
  print(`Parley ${version} at ${client.endpoint}`);
  const name = `demo-${randomBytes(4).toString('hex')}`;
  const process = await startSourceProcess((report) => {
    if (report.report === 'sent') print(`  ${speaker('')}   source: signature right, message taken`);
    else print(`  ${speaker('')}   source: refused, ${report.reason}`);
  });
  try {
    const created = await client.call<{ token: string }>('sources.create', {
      source_id: name,
      action_endpoint: process.actionEndpoint,
      name: 'Demo source',
    });
    process.useToken(created.token);
    let channel: string | undefined;
    try {
      const made = await client.call<{ id: string }>(
        'sources.channels.create',
        { source_channel_id: name, name: 'Demo shop' },
        created.token,
      );
      channel = made.id;
      print(`Source ${name} is registered, its channel is connected.\n`);
      const stage = { client, source: created.token, channel, sourceChannel: name, print, interrupted };
      await playLines(stage);
    } finally {
      await cleanUp({ client, source: created.token, print }, name, channel);
    }
  } finally {
    await process.stop();
  }
}
