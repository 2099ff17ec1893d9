import { expect, it } from 'vitest';
import type { EventJson, MessageJson } from '#actors/representation.ts';
import { EventBytes } from '#src/realtime/message.ts';
import { shownToVisitor } from '#src/security/visitor-view.ts';
import { startApi, type TestApi } from '../_support/api.ts';
import { TestVisitor, visit } from '../_support/visitor.ts';

const suggestions = { hours: { content: { text: 'When are you open?' } } };

/** What the hub, its sources and its agents can keep with a Message. */
const metadata = {
  suggestions,
  user_data: { note: 'do not trust this one' },
  source: { id: 'm-1', delivery_state: 'read' },
  error: 'the platform said no',
};

const message: MessageJson = {
  ...{ id: 'm', content: { text: 'Hi', metadata: 'of the content' }, state: 'pending', delivery_state: 'pending' },
  ...{ from_contact: false, sent_at: '2026-01-01T00:00:00.000Z', source: 'chatplugin', metadata },
  sender: { id: 'oidc:ann', name: 'Ann', avatar_url: 'https://shop.example/ann.png' },
};

it('shows visitors what is said, and suggested answers', () => {
  expect(shownToVisitor(message)).toEqual({ ...message, metadata: { suggestions } });
  expect(shownToVisitor({ ...message, metadata: { user_data: {} } })).toEqual({ ...message, metadata: {} });
});

it('shows no part that is not listed', () => {
  const later = { ...message, transcript: 'internal' };
  const sender = { ...message.sender, email: 'ann@shop.example' };
  expect(shownToVisitor({ ...later, sender })).toEqual({ ...message, metadata: { suggestions } });
});

/** Agents keep something with every Message there is. */
async function annotate(api: TestApi, ids: string[]): Promise<void> {
  for (const id of ids) {
    await api.post('/metadata.upsert', { subject: 'message', id, data: { note: 'do not trust this one' } });
    await api.post('/messages.suggest-replies', { message_id: id, suggestions });
  }
}

it('shows the same to one who resumes, and with what is sent', async () => {
  await using api = await startApi();
  const visitor = await visit(api);
  const said = await visitor.say('Hello', 'm-1');
  const answered = await api.post<MessageJson>('/messages.send', {
    ...{ conversation_id: visitor.conversation, message: { text: 'Hi' } },
  });
  await annotate(api, [said.body.id, answered.body.id]);
  expect((await visitor.say('Hello', 'm-1')).body.metadata).toEqual({ suggestions });
  const back = await TestVisitor.authenticated(api, { resume_token: await visitor.resumeToken() });
  expect(back.earlier.map((earlier) => earlier.metadata)).toEqual([{ suggestions }, { suggestions }]);
});

it('shows the same at a socket', () => {
  const payload = { conversation_id: 'c', channel_id: 'ch', message } as unknown as EventJson['payload'];
  const event = new EventBytes({ type: 'message.created', cursor: 'at', payload } as EventJson);
  const [, body] = String(event.forVisitor).split('\n\n');
  expect(JSON.parse(body!.replace('\0', ''))).toEqual({
    ...{ conversation_id: 'c', channel_id: 'ch' },
    message: { ...message, metadata: { suggestions } },
  });
});
