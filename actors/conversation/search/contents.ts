import { isObject, parseJson } from '../../json.ts';
import type { Json } from '../../representation.ts';

/** Characters of one message that can be found. */
const mostCharacters = 64 * 1024;
/** Fields whose text nobody wrote: what kind of thing it is, where it lies, how it is called by machines. */
const technical =
  /^(?:type|id|url|uri|href|token|mime)$|(?:_|-)(?:type|id|url|uri|token)$|[a-z](?:Type|Id|Url|Uri|Token)$/;
const address = /^(?:https?|data|ftp|mailto|tel):\S*$/i;

/**
 * The text of a message: every string of its content, whatever its source calls it, but for addresses and for what a
 * field's name says is technical.
 * @param content JSON
 */
export function textOf(content: string): string {
  const found: string[] = [];
  collect(parseJson(content) as Json, found);
  return found.join('\n').slice(0, mostCharacters);
}

function collect(value: Json, found: string[]): void {
  if (typeof value === 'string') {
    if (!address.test(value)) found.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, found);
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) if (!technical.test(name)) collect(inner, found);
  }
}
