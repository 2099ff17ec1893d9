import { keyTable } from './keys.ts';

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The table of all keys as Markdown: what the documentation shows, and is tested against. */
export function keyTableMarkdown(): string {
  const head = ['| key | type | default | meaning | variable |', '|---|---|---|---|---|'];
  const rows = keyTable().map((row) => {
    const initial = row.initial === null ? 'required' : code(row.initial);
    const variables = code(row.environment) + (row.environmentFile === null ? '' : ', or `…_FILE`');
    return `| ${[code(row.name), row.type, initial, row.meaning, variables].map(cell).join(' | ')} |`;
  });
  return `${[...head, ...rows].join('\n')}\n`;
}
