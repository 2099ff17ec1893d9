import { expect, it } from 'vitest';
import { ActorSystem } from '../_support/actor-system.ts';
import { uuid } from './support.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

it.each(['tag', 'template'] as const)('each %s is listed in its turn, whatever its shard', async (kind) => {
  await using system = new ActorSystem({ shards: 4 });
  const commands = system.commands();
  for (const name of names) {
    if (kind === 'tag') await commands.send('tag', uuid(), 'tag.create', { name, color: 'tag-red' });
    else await commands.send('template', uuid(), 'template.create', { name, source: 'shop', content: 'Hi!' });
    system.clock.advance(1);
  }
  const reader = system.reader();
  const listed = kind === 'tag' ? reader.tags.list() : reader.templates.list('shop');
  reader.close();
  expect(listed.map(({ name }) => name)).toEqual(names);
});
