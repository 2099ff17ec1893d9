import { foreignId } from '#src/ingest/fields.ts';
import type { Inbound } from '#src/ingest/items.ts';

/** What a platform, or a forger with its key, may write in the place of anything. */
const odd = ['', 'x'.repeat(300), 'a\u0000b', '\ud800', 0, -1, 1.5, 1e300, null, [], {}];

/** A body with each part replaced by something odd, one at a time: JSON, or the fields of a form. */
export function spoilt(body: Uint8Array): Buffer[] {
  const text = Buffer.from(body).toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return spoiltForms(text).map((form) => Buffer.from(form.toString()));
  }
  return [...spoiltValues(value)].map((changed) => Buffer.from(JSON.stringify(changed)));
}

function* spoiltValues(value: unknown): Iterable<unknown> {
  yield* odd;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const changed of spoiltValues(inner)) {
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
    }
  }
}

const spoiltForms = (text: string): URLSearchParams[] =>
  [...new URLSearchParams(text).keys()].flatMap((name) =>
    odd.map((changed) => {
      const form = new URLSearchParams(text);
      form.set(name, String(changed));
      return form;
    }),
  );

/** Ids and times of items that can not be: the hub relies on them. */
export function impossibleIn({ messages, metadata, receipts }: Inbound): unknown[] {
  const ids = [
    ...messages.flatMap(({ id, conversation, channel, sender }) => [id, conversation, channel, sender]),
    ...metadata.map(({ sourceId }) => sourceId),
    ...receipts.map(({ message }) => message),
  ];
  const times = messages.map(({ sentAt }) => sentAt);
  return [
    ...ids.filter((id) => !foreignId.safeParse(id).success),
    ...times.filter((at) => !Number.isSafeInteger(at) || at < Date.UTC(2000, 0, 1) || at > Date.UTC(2100, 0, 1)),
  ];
}
