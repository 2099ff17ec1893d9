import { expect, it } from 'vitest';
import type { CommandSender } from '#actors/commands.ts';
import { channelId } from '#actors/ids.ts';
import type { ChannelJson, TagJson, TemplateJson } from '#actors/representation.ts';
import type { Page, PageQuery } from '#actors/store/page.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { itemsOf } from '../_support/pages.ts';
import { uuid } from './support.ts';
import { Subscriber } from './webhook-support.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

type Reader = ReturnType<ActorSystem['reader']>;

interface Listed {
  make(commands: CommandSender, name: string): Promise<unknown>;
  page(reader: Reader, query: PageQuery): Page<unknown>;
  nameOf(item: never): unknown;
}

const connect = (commands: CommandSender, name: string) =>
  commands.send('channel', channelId('shop', name), 'channel.connect', {
    ...{ source: 'shop', sourceChannelId: name, sourceId: 'shop', name },
  });

const lists: Record<string, Listed> = {
  tag: {
    make: (commands, name) => commands.send('tag', uuid(), 'tag.create', { name, color: 'tag-red' }),
    page: (reader, query) => reader.tags.page(query),
    nameOf: ({ name }: TagJson) => name,
  },
  template: {
    make: (commands, name) =>
      commands.send('template', uuid(), 'template.create', { name, source: 'shop', content: 'Hi!' }),
    page: (reader, query) => reader.templates.page(query, 'shop'),
    nameOf: ({ name }: TemplateJson) => name,
  },
  channel: {
    make: connect,
    page: (reader, query) => reader.channels.page(query, {}),
    nameOf: (channel: ChannelJson) => channel.source_channel_id,
  },
  'channel of a source': {
    make: connect,
    page: (reader, query) => reader.channels.ownPage(query, 'shop'),
    nameOf: (channel: ChannelJson) => channel.source_channel_id,
  },
};

it.each(Object.entries(lists))('each %s is listed in its turn, whatever its shard', async (_, { make, ...list }) => {
  await using system = new ActorSystem({ shards: 4 });
  for (const name of names) {
    await make(system.commands(), name);
    system.clock.advance(1);
  }
  const reader = system.reader();
  const page = (query: PageQuery) => list.page(reader, query);
  const namesOf = (listed: Page<unknown>) => itemsOf(listed).map((item) => list.nameOf(item as never));
  expect(namesOf(page({ limit: 10, from: null }))).toEqual(names);
  const first = page({ limit: 3, from: null });
  const second = page({ limit: 3, from: { key: first.after!, direction: 'after' } });
  expect([namesOf(first), namesOf(second)]).toEqual([names.slice(0, 3), names.slice(3, 6)]);
  expect(namesOf(page({ limit: 3, from: { key: second.before!, direction: 'before' } }))).toEqual(names.slice(0, 3));
  expect(second.total).toBe(names.length);
  reader.close();
});

it('each webhook subscription is listed in its turn', async () => {
  await using system = new ActorSystem({ shards: 4 });
  for (const name of names) {
    const subscriber = new Subscriber(system);
    await subscriber.subscribe({ name, start: [] });
    subscriber.reader.close();
    system.clock.advance(1);
  }
  const reader = system.reader();
  expect(reader.webhooks.list().map(({ name }) => name)).toEqual(names);
  reader.close();
});
