import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { configKeys, isSection, type Key, type Section } from './keys.ts';

/** The name of the configuration file in a workspace. */
export const configFileName = 'parley.yaml';

/** What a new file says, as YAML; other keys get their defaults. Secrets are made afresh. */
const written: Record<string, () => string> = {
  'security.jwtSecret': freshSecret,
  'security.systemToken': freshSecret,
  'integration.source-api.enabled': () => 'true',
  'integration.contacts.enabled': () => 'true',
  'integration.webhook.enabled': () => 'true',
  'outgoing.allowNetworks': () => '[127.0.0.0/8, "::1/128"]',
};

/** More than the keys' own meaning, where a new file needs it. */
const remarks: Record<string, string> = {
  'outgoing.allowNetworks':
    'Loopback is here so that custom sources and webhook receivers on this machine work from the start;\n' +
    'set it to [] in production, where such calls should reach public addresses only.',
};

const head = `\
# Configuration of a Parley instance. It holds secrets: keep it readable by its owner only.
# Every key can also be set by the environment: server.port by PARLEY_SERVER_PORT, security.jwtSecret by
# PARLEY_SECURITY_JWT_SECRET, and a secret by the name of a file in PARLEY_SECURITY_JWT_SECRET_FILE.
# Lists are comma separated there. The environment wins over this file.
`;

function freshSecret(): string {
  return JSON.stringify(randomBytes(32).toString('base64url'));
}

const comment = (text: string, indent: string): string => text.replaceAll(/^/gm, `${indent}# `);

function keyLines(name: string, path: string, key: Key, indent: string, values: Map<string, string>): string[] {
  const remark = remarks[path];
  const value = values.get(path) ?? written[path]?.() ?? JSON.stringify(key.initial);
  return [
    comment(key.meaning, indent),
    ...(remark === undefined ? [] : [comment(remark, indent)]),
    `${indent}${name}: ${value}`,
  ];
}

/** A section that is off until it is filled in: shown as comments, the bracket naming its keys. */
function offLines(name: string, section: Section, indent: string): string[] {
  return [`${indent}# ${name}: { ${Object.keys(section.keys).join(', ')} }`];
}

function sectionLines(section: Section, path: string[], values: Map<string, string>): string[] {
  const indent = '  '.repeat(path.length);
  return Object.entries(section.keys).flatMap(([name, entry]) => {
    const at = [...path, name];
    if (!isSection(entry)) return keyLines(name, at.join('.'), entry, indent, values);
    const gap = path.length === 0 ? [''] : [];
    if (Object.keys(entry.keys).length === 0) return [`${indent}${name}: {}`];
    if (entry.optional) return offLines(name, entry, indent);
    return [...gap, `${indent}${name}:`, ...sectionLines(entry, at, values)];
  });
}

/**
 * The text of a new configuration file: fresh secrets, every optional feature on, each key with its meaning.
 * @param values other values than the usual ones, as YAML, by dotted key.
 */
export function configTemplate(values: Map<string, string> = new Map()): string {
  return `${[head.trimEnd(), ...sectionLines(configKeys, [], values)].join('\n')}\n`;
}

/**
 * Writes a new configuration file that only its owner can read.
 * @throws an EEXIST error when the file exists: secrets in use are never written over.
 */
export function writeConfigTemplate(file: string, values: Map<string, string> = new Map()): void {
  writeFileSync(file, configTemplate(values), { mode: 0o600, flag: 'wx' });
}
