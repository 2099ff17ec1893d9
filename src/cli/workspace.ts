import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import type { Logger } from '#actors/ports.ts';
import type { Config } from '#src/config/config.ts';
import { loadConfig } from '#src/config/load.ts';
import { configFileName, writeConfigTemplate } from '#src/config/template.ts';
import { warnOfExposure } from './exposure.ts';

/** The flags that every command takes. */
export interface GlobalFlags {
  apihost?: string;
  workspace?: string;
}

/** What the command line keeps about an instance, beside its configuration. */
export interface CliFile {
  /** Empty: the address of the configuration. */
  apihost: string;
  namespace: string;
  provider: string;
}

/** Where commands send their calls, and with which token, if any. */
export interface ApiTarget {
  endpoint: string;
  token?: string;
}

/** The folder that `npm start` makes when there is no workspace. */
export const defaultWorkspace = '.parley';
const cliFileName = 'cli.yaml';

/** The configuration file of a workspace. */
export const configFileOf = (workspace: string): string => join(workspace, configFileName);

/** Whether a folder has a configuration. */
export const isWorkspace = (directory: string): boolean => existsSync(configFileOf(directory));

/** The workspace that the flags mean: the named one, else the current folder, else `.parley` in it. */
export function findWorkspace(flags: GlobalFlags): string {
  if (flags.workspace !== undefined) return resolve(flags.workspace);
  return isWorkspace('.') || !isWorkspace(defaultWorkspace) ? resolve('.') : resolve(defaultWorkspace);
}

/**
 * Makes a workspace: `parley.yaml` with fresh secrets and `cli.yaml`.
 * @param values values of the configuration other than the usual ones, as YAML, by dotted key.
 * @throws Error when there is one already.
 */
export function createWorkspace(directory: string, cli: CliFile, values: Map<string, string> = new Map()): void {
  if (isWorkspace(directory)) throw new Error(`${configFileOf(directory)} exists already: this is a workspace`);
  mkdirSync(directory, { recursive: true });
  writeConfigTemplate(configFileOf(directory), values);
  const head = '# What the command line knows about this instance. An empty apihost: the address of parley.yaml.\n';
  writeFileSync(join(directory, cliFileName), head + stringify(cli), { mode: 0o600 });
}

/**
 * The configuration of a workspace.
 * @throws Error when the folder is no workspace; ConfigError when its configuration is wrong.
 */
export function workspaceConfig(directory: string): Config {
  if (!isWorkspace(directory)) {
    throw new Error(
      `there is no ${configFileName} in ${directory}: make one with "parley create", or name another --workspace`,
    );
  }
  return loadConfig({ file: configFileOf(directory), env: process.env });
}

/** The configuration of a workspace whose hub is to run, with a look at who can read its files. */
export function servedConfig(directory: string, log: Pick<Logger, 'warn'>): Config {
  const config = workspaceConfig(directory);
  warnOfExposure(configFileOf(directory), config, log);
  return config;
}

function cliApihost(directory: string): string {
  const file = join(directory, cliFileName);
  if (!existsSync(file)) return '';
  const apihost: unknown = parseDocument(readFileSync(file, 'utf8'), { prettyErrors: false }).get('apihost');
  return typeof apihost === 'string' ? apihost : '';
}

/** The address that a configuration makes the API answer at. */
const configuredEndpoint = (config: Config): string => config.server.publicUrl || listeningAddress(config);

/** The address of this machine at which a configuration makes the hub listen. */
export function listeningAddress({ server }: Config): string {
  if (server.port === 0) throw new Error('server.port is 0, so the address is only known to the hub: give --apihost');
  const unspecified: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const host = unspecified[server.host] ?? server.host;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${server.port}`;
}

/** An address without the slash at its end. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** @throws Error when it is no address */
export function checkedUrl(url: string): string {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) throw new Error(`not an http address: ${url}`);
  return withoutSlash(url);
}

/**
 * The API that the flags mean, with the workspace's token. A host that was only named on the command line gets no
 * token: the workspace that happens to be in the current folder need not be its own.
 */
export function apiTarget(flags: GlobalFlags): ApiTarget {
  const workspace = findWorkspace(flags);
  if (flags.apihost !== undefined && flags.workspace === undefined) return { endpoint: checkedUrl(flags.apihost) };
  const config = workspaceConfig(workspace);
  const endpoint = checkedUrl(flags.apihost || cliApihost(workspace) || configuredEndpoint(config));
  return { endpoint, token: config.security.systemToken.reveal() };
}
