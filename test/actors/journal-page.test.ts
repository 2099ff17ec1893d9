import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journal } from '#actors/store/tables.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/architecture.md'), 'utf8');

/** The rows of the table that follows a text: names in code spans, and what stands beside them. */
function tableAfter(text: string): [names: string[], meaning: string][] {
  const [, rest = ''] = page.split(text);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(rest) ?? [];
  return table
    .split('\n')
    .slice(2, -1)
    .map((line) => {
      const [, names = '', meaning = ''] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? [];
      return [[...names.matchAll(/`(\w+)`/g)].map(([, name]) => name!), meaning];
    });
}

/** The row of the journal that Ann's second message makes. */
async function secondTurn(): Promise<{ columns: string[]; row: object }> {
  await using system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  for (const prefix of ['ann', 'm2']) {
    const text = prefix === 'ann' ? 'Hello' : 'Are you there?';
    await commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', [text], prefix));
  }
  const db = system.open();
  const columns = db.prepare("SELECT name FROM pragma_table_info('journal')").pluck().all() as string[];
  const [row] = journal.query(db, 'ORDER BY key DESC LIMIT 1').all();
  db.close();
  return { columns, row: row! };
}

test('docs/architecture.md explains every column of the journal', async () => {
  const { columns } = await secondTurn();
  expect(tableAfter('## A turn').flatMap(([names]) => names)).toEqual(columns);
});

test('its worked example is what an inbound message writes', async () => {
  const { row } = await secondTurn();
  const shown = tableAfter('second message that Ann writes').flatMap(([names, meaning]) => {
    const values = [...meaning.matchAll(/`([^`]+)`/g)].map(([, value]) => value!);
    expect(values).toHaveLength(names.length);
    return names.map((name, i) => [name, values[i]]);
  });
  expect(shown.length).toBeGreaterThan(6);
  const written = Object.entries(row).map(([name, value]) => [name, String(value)]);
  expect(Object.fromEntries(written)).toMatchObject(Object.fromEntries(shown));
});
