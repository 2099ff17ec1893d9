import { randomBytes } from 'node:crypto';
import { type ApiClient, ApiError } from '../api-client.ts';
import { contactName, playLines, speaker } from './play.ts';
import { startSourceProcess } from './source-process.ts';

type Print = (line: string) => void;

/** What the custom source of the demo pushes with. `source` is its token. */
interface Pushing {
  client: ApiClient;
  source: string;
  sourceChannel: string;
}

/** The source takes a message of the contact to the hub. Returns the conversation's id. */
async function contactSays(stage: Pushing, text: string, number: number): Promise<string> {
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

/** Cleaning up goes on after a step that fails: the first reason to fail is the one to show. */
async function cleanUp(
  stage: { client: ApiClient; source: string; print: Print },
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
      const pushing = { client, source: created.token, sourceChannel: name };
      await playLines({
        ...{ client, print, interrupted },
        contactSays: (text, number) => contactSays(pushing, text, number),
        contentOf: (text) => ({ text }),
      });
    } finally {
      await cleanUp({ client, source: created.token, print }, name, channel);
    }
  } finally {
    await process.stop();
  }
}
