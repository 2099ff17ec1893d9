/** Words in the name of a field or a header whose value is a secret. */
const secretName = /authorization|cookie|key|token|secret/i;
const shownCharacters = 4;
/** Of shorter secrets the first characters would tell too much. */
const leastMasked = 12;

/** A secret as answers show it: its first four characters, or none of a short one, and `...`. */
export const masked = (secret: string): string =>
  `${secret.length < leastMasked ? '' : secret.slice(0, shownCharacters)}...`;

/** Headers as answers show them: masked where the name says that the value is a secret. */
export const maskedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secretName.test(name) ? masked(value) : value]),
  );

/**
 * Headers that were read from an answer and are given back: a masked value stands for the one that is stored.
 * @param stored what was masked for the answer
 */
export function unmaskedHeaders(
  given: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const shown = maskedHeaders(stored);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      stored[name] !== undefined && shown[name] === value ? stored[name] : value,
    ]),
  );
}

/** Any JSON value with its secrets masked: text in fields whose names say so, at any depth. */
export function maskedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskedValue);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'string' && secretName.test(name) ? masked(inner) : maskedValue(inner),
    ]),
  );
}
