/** A package archive as APT's source files name it. */
export interface AptSource {
  uri: string;
  suites: string[];
  components: string[];
  /** What `Signed-By` says, unchanged: paths, fingerprints or an embedded key; null when the entry has none. */
  signedBy: string | null;
}

/** Suites that a Debian mirror has at its top level, next to the suite that is asked of it. */
const debianSuites = new Set([
  ...['bullseye', 'bookworm', 'trixie', 'forky', 'duke', 'sid'],
  ...['oldoldstable', 'oldstable', 'stable', 'testing', 'unstable'],
]);

/**
 * Reads the one-line format (`deb [option=value …] uri suite component…`), sources.list(5).
 * Lines that are comments, source entries (`deb-src`) or flat archives (no component) are left out.
 */
export function parseOneLineSources(text: string): AptSource[] {
  const sources: AptSource[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)\s+([^#]+)/.exec(line);
    if (!match) continue;
    const [, options = '', uri = '', suite = '', rest = ''] = match;
    const components = words(rest);
    if (components.length === 0) continue;
    const signedBy = /(?:^|\s)signed-by=(\S+)/i.exec(options)?.[1] ?? null;
    sources.push({ uri, suites: [suite], components, signedBy });
  }
  return sources;
}

/** Reads the deb822 format (stanzas of `Field: value`), sources.list(5). One result per address of a stanza. */
export function parseDeb822Sources(text: string): AptSource[] {
  return text
    .split(/\n(?:[ \t]*\n)+/)
    .map(readStanza)
    .flatMap((fields) => {
      if (fields.get('enabled')?.toLowerCase() === 'no') return [];
      if (!words(fields.get('types') ?? '').includes('deb')) return [];
      return words(fields.get('uris') ?? '').map((uri) => ({
        uri,
        suites: words(fields.get('suites') ?? ''),
        components: words(fields.get('components') ?? ''),
        signedBy: fields.get('signed-by') ?? null,
      }));
    });
}

/**
 * The entries that are mirrors of Debian itself, best first. An archive of another vendor can borrow a Debian suite's
 * name, so an entry that is signed by Debian's archive key or ends in `/debian` comes before one that only might be.
 */
export function debianMirrors(sources: readonly AptSource[]): AptSource[] {
  const points = (source: AptSource): number =>
    (source.signedBy?.includes('debian-archive') ? 2 : 0) + (/\/debian\/?$/.test(source.uri) ? 1 : 0);
  return sources
    .filter((source) => source.components.includes('main') && source.suites.some((suite) => debianSuites.has(suite)))
    .sort((a, b) => points(b) - points(a));
}

/** The entry as a deb822 stanza, for another suite of the same mirror. */
export function toDeb822(source: AptSource, suite: string, keyring: string): string {
  const fields = [`Types: deb`, `URIs: ${source.uri}`, `Suites: ${suite}`, 'Components: main'];
  return `${[...fields, `Signed-By: ${source.signedBy ?? keyring}`].join('\n')}\n`;
}

function readStanza(stanza: string): Map<string, string> {
  const fields = new Map<string, string>();
  let name = '';
  for (const line of stanza.split('\n')) {
    if (line.startsWith('#') || line.trim() === '') continue;
    if (/^[ \t]/.test(line)) {
      fields.set(name, `${fields.get(name) ?? ''}\n${line}`);
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    name = line.slice(0, colon).trim().toLowerCase();
    fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
