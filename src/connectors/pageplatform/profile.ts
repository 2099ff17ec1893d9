import type { PlatformApp } from '#src/config/config.ts';
import { ask } from '../graph/calls.ts';
import { textOf, webAddressOf } from '../graph/fields.ts';
import type { ProfileOutcome, ProfileReader } from '../powers.ts';

/** What is asked for of a contact, by source. */
const fieldsOf: Record<string, string> = {
  pageplatform: 'first_name,last_name,profile_pic',
  photoplatform: 'name,profile_pic',
};

export const profilesOf = (app: PlatformApp): ProfileReader => ({
  async profileOf({ sourceConversationId, channel, token }, tools) {
    if (token === null) return { kind: 'unknown', error: 'The channel has no token of the platform.' };
    const call = { path: [sourceConversationId], query: { fields: fieldsOf[channel.source] ?? 'name' } };
    const answer = await ask(app, token, { method: 'GET', ...call }, tools);
    if (answer.kind === 'rejected') return { kind: 'unknown', error: answer.error };
    return answer.kind === 'unreachable' ? answer : profileIn(answer.said);
  },
});

function profileIn(said: Record<string, unknown>): ProfileOutcome {
  const names = [said['first_name'], said['last_name']].map(textOf).filter((part) => part !== null);
  const name = textOf(said['name']) ?? textOf(names.join(' '));
  const avatarUrl = webAddressOf(said['profile_pic']);
  return name === null && avatarUrl === null
    ? { kind: 'unknown', error: 'The platform says nothing of the contact.' }
    : { kind: 'found', name, avatarUrl };
}
