import { describe, expect, test } from 'vitest';
import { debianMirrors, parseDeb822Sources, parseOneLineSources, toDeb822 } from '#src/nats/apt-sources.ts';

const mirror = 'https://mirror.example/debian';
const main = { uri: mirror, suites: ['bookworm'], components: ['main'], signedBy: null };

describe('one-line format', () => {
  test.each([
    ['a plain entry', `deb ${mirror} bookworm main`, [main]],
    ['a comment', `# deb ${mirror} bookworm main`, []],
    ['a source entry', `deb-src ${mirror} bookworm main`, []],
    ['a flat archive', `deb ${mirror} ./`, []],
    ['an empty file', '', []],
    ['tabs and a trailing comment', `deb\t${mirror}\tbookworm\tmain # mine`, [main]],
    ['several components', `deb ${mirror} bookworm main contrib`, [{ ...main, components: ['main', 'contrib'] }]],
    [
      'options with a key',
      `deb [arch=amd64 signed-by=/keys/debian.gpg] ${mirror} bookworm main`,
      [{ ...main, signedBy: '/keys/debian.gpg' }],
    ],
    ['two lines', `deb ${mirror} bookworm main\ndeb ${mirror} sid main\n`, [main, { ...main, suites: ['sid'] }]],
  ])('reads %s', (_name, text, expected) => {
    expect(parseOneLineSources(text)).toEqual(expected);
  });
});

describe('deb822 format', () => {
  const stanza = `Types: deb\nURIs: ${mirror}\nSuites: bookworm\nComponents: main\n`;
  test.each([
    ['a plain stanza', stanza, [main]],
    ['lower-case names and comments', `# mine\n${stanza.toLowerCase()}# end\n`, [main]],
    ['a stanza that is switched off', `Enabled: no\n${stanza}`, []],
    ['a stanza of sources', stanza.replace('deb\n', 'deb-src\n'), []],
    ['both types', stanza.replace('deb\n', 'deb deb-src\n'), [main]],
    ['two addresses', stanza.replace(mirror, `${mirror} file:/m`), [main, { ...main, uri: 'file:/m' }]],
    ['two stanzas', `${stanza}\n \n${stanza}`, [main, main]],
    ['several suites', stanza.replace('bookworm', 'a b'), [{ ...main, suites: ['a', 'b'] }]],
    ['a key file', `${stanza}Signed-By: /keys/debian.gpg\n`, [{ ...main, signedBy: '/keys/debian.gpg' }]],
    ['an embedded key', `${stanza}Signed-By:\n BEGIN\n .\n END\n`, [{ ...main, signedBy: '\n BEGIN\n .\n END' }]],
    ['an empty file', '', []],
  ])('reads %s', (_name, text, expected) => {
    expect(parseDeb822Sources(text)).toEqual(expected);
  });
});

describe('choice of the mirror', () => {
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  const vendor = { ...main, uri: 'https://vendor.example/linux', signedBy: '/keys/vendor.gpg' };

  test.each([
    ['a release of Debian', [main], [main]],
    ['another suite next to the release', [{ ...main, suites: ['bookworm', 'bookworm-updates'] }], 1],
    ['only security updates', [{ ...main, suites: ['bookworm-security'] }], []],
    ['another component', [{ ...main, components: ['stable'] }], []],
    ['another distribution', [{ ...main, suites: ['noble'] }], []],
  ])('judges %s', (_name, sources, expected) => {
    const chosen = debianMirrors(sources);
    if (typeof expected === 'number') expect(chosen).toHaveLength(expected);
    else expect(chosen).toEqual(expected);
  });

  test("puts the entry with Debian's key before a vendor's", () => {
    const signed = { ...main, uri: 'http://m.example/pub', signedBy: keyring };
    expect(debianMirrors([vendor, main, signed])).toEqual([signed, main, vendor]);
  });

  test('writes an entry that it reads again', () => {
    const text = toDeb822(main, 'trixie', keyring);
    expect(parseDeb822Sources(text)).toEqual([{ ...main, suites: ['trixie'], signedBy: keyring }]);
  });

  test('keeps the key of the entry', () => {
    const own = { ...main, signedBy: '\n BEGIN\n .\n END' };
    expect(parseDeb822Sources(toDeb822(own, 'trixie', keyring))[0]?.signedBy).toBe(own.signedBy);
  });
});
