/** The id that stands in a name of the platform, such as `brands/1/agents/2`, after the word of its kind. Null: none. */
export function lastPart(name: unknown, kind: 'agents' | 'messages'): string | null {
  if (typeof name !== 'string') return null;
  const parts = name.split('/');
  return parts.at(-2) === kind ? parts.at(-1)! : null;
}
