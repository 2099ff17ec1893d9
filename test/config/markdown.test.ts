import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keyTable } from '#src/config/keys.ts';
import { keyTableMarkdown } from '#src/config/markdown.ts';

test('the Markdown table has a row for every key', () => {
  const lines = keyTableMarkdown().trimEnd().split('\n');
  expect(lines).toHaveLength(keyTable().length + 2);
  for (const line of lines) expect(line.split(/(?<!\\)\|/)).toHaveLength(7);
});

test('a row has type, default, meaning and variable', () => {
  expect(keyTableMarkdown()).toContain(
    '| `server.port` | port | `8080` | Port of the API; 0: any free port. | `PARLEY_SERVER_PORT` |',
  );
  expect(keyTableMarkdown()).toMatch(/`security\.jwtSecret` .* required .* `PARLEY_SECURITY_JWT_SECRET`, or `…_FILE`/);
});

test('docs/configuration.md holds the table as it is', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toContain(keyTableMarkdown());
});
