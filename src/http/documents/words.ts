/** What holds for every operation, for readers of the document. */
export const conventions = `\
Every operation is a \`POST\` of JSON to \`/<resource>.<verb>\`. An empty body is \`{}\`. An optional field that is null
is absent; where a summary says so, null clears. Unknown fields of a request are ignored; answers get new ones over time.

A failure is \`{error, code, details}\`: \`code\` is for programs, \`error\` for people, \`details\` names the fields. An
unknown path answers 404, another method than a path takes 405 with \`Allow\`, a compressed body 415.

Every operation that changes something takes an \`Idempotency-Key\`: within 24 hours the same key and body get the first answer again.
`;

/** Resource → what its operations are about. */
export const tags: Record<string, string> = {
  audit: 'Who changed what.',
  channels: 'Connections to accounts on sources.',
  chatplugin: 'Visitors of web pages, and what they write.',
  components: 'Parts of the hub that can be installed and configured while it runs.',
  client: 'What a client needs to know of the instance.',
  contacts: 'People, each over several conversations.',
  conversations: 'Messages exchanged with one contact on one channel.',
  'dead-letters': 'Commands that a defect of the hub kept from being handled.',
  events: 'The feed: what happened, in order.',
  health: 'For supervisors and load balancers.',
  keys: 'API keys: what programs show in the place of the system token.',
  media: 'Files that Messages point to.',
  messages: 'What contacts and agents write.',
  metadata: 'Data of your own on messages, conversations and channels.',
  sessions: 'Logins of people.',
  sources: 'Applications that act as messaging sources.',
  tags: 'Words that people put on conversations.',
  templates: 'Messages that are written beforehand.',
  users: 'People who have logged in.',
  webhooks: 'Events sent to a URL, and what is sent.',
};
