import { stringify } from 'yaml';
import type { RunningDouble } from '#src/doubles/server.ts';
import type { HubFacts } from './hub-facts.ts';

const post = (url: string, body: object): string =>
  `curl -s -X POST ${url} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;

const indented = (text: string): string => text.trimEnd().replaceAll(/^/gm, '  ');

/** What `parley simulate` prints when the double answers: what the hub needs, and calls to copy. */
export function introductionOf(source: string, { url, introduction }: RunningDouble, facts: HubFacts): string {
  const { connect, account, contact, reply } = introduction;
  const control = `${url}/_control`;
  return `
A double of ${source} answers at ${url}, and calls the hub at ${facts.hub.url}.
${configurationFor(introduction, facts)}
Connect its account ${account}:
  ${post(`${facts.hub.url}/${connect.operation}`, connect.body)}

A contact writes, as ${contact} or whoever "from" says:
  ${post(`${control}/message`, { text: 'Hello!' })}
  ${post(`${control}/message`, { from: contact, name: 'Ada Lovelace', text: 'Is the lamp in stock?' })}

An agent answers, where <conversation> is of conversations.list:
  ${post(`${facts.hub.url}/messages.send`, { conversation_id: '<conversation>', message: reply })}

What the hub sent, what it called, and how it answered webhooks:
  curl -s ${control}/sent
  curl -s ${control}/calls
  curl -s ${control}/webhooks

Stray from the best case (all of it: curl -s ${control}/behave):
  ${post(`${control}/behave`, { duplicates: true, lateReceipts: 2_000, fail: 0.25 })}

Any webhook of the platform, signed, and a report of a message that the hub sent:
  ${post(`${control}/webhook`, { body: { any: 'fields of the platform' } })}
  ${post(`${control}/report`, { id: '<id>', report: 'read' })}

Ctrl-C stops it.
`;
}

/** The lines that parley.yaml lacks; nothing where it has them. */
function configurationFor({ component, configuration }: RunningDouble['introduction'], facts: HubFacts): string {
  const isolated = 'outgoing.allowNetworks in parley.yaml must contain 127.0.0.0/8, so that the hub may call it.';
  const notes = facts.mayCallHere === false ? `\n${isolated}\n` : '';
  if (facts.credentials === null) {
    const lines = indented(stringify({ components: { sources: { [component]: configuration } } }, { lineWidth: 0 }));
    return `${notes}\nThe hub needs this in parley.yaml, and a start after it:\n\n${lines}\n`;
  }
  if (facts.credentials['apiBase'] === configuration['apiBase']) return notes;
  const key = `components.sources.${component}.apiBase`;
  return `${notes}\nThe hub must call it: set ${key} in parley.yaml to ${configuration['apiBase']}\n`;
}
