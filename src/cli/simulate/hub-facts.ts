import { type Config, Secret } from '#src/config/config.ts';
import { isLoopback } from '#src/config/loopback.ts';
import { loadConfig } from '#src/config/load.ts';
import type { HubAddress } from '#src/doubles/double.ts';
import type { SimulatedSource } from '#src/doubles/sources.ts';
import {
  checkedUrl,
  findWorkspace,
  type GlobalFlags,
  isWorkspace,
  listeningAddress,
  withoutSlash,
  workspaceConfig,
} from '../workspace.ts';

/** The flags that say which hub a double is for. */
export interface HubFlags extends GlobalFlags {
  hub?: string;
  config?: string;
  port?: number;
  credential: Map<string, string>;
}

/** What a double needs to know of its hub. */
export interface HubFacts {
  hub: HubAddress;
  /** Where the double is to listen. */
  port: number;
  /** What the hub has below `components.sources.<component>`; null: nothing. */
  credentials: Record<string, string> | null;
  /** Whether the hub may call this machine; null: there is no configuration to tell. */
  mayCallHere: boolean | null;
}

/** What the flags, and the configuration that they mean, say of a hub. @throws Error when there is no address of it */
export function hubFacts({ component, port }: SimulatedSource, flags: HubFlags): HubFacts {
  const config = configOf(flags);
  if (config === null && flags.hub === undefined) {
    throw new Error('there is no parley.yaml here: name a --workspace or a --config, or the --hub and its credentials');
  }
  const url = checkedUrl(flags.hub ?? listeningAddress(config!));
  const configured = config === null ? null : revealed(config.components.sources[component]);
  const given = flags.credential.size > 0 ? { ...configured, ...Object.fromEntries(flags.credential) } : configured;
  return {
    hub: { url, publicUrl: withoutSlash(config?.server.publicUrl || url) },
    port: flags.port ?? portOf(configured?.['apiBase']) ?? port,
    credentials: given,
    mayCallHere: config?.outgoing.allowNetworks.some((network) => network.startsWith('127.')) ?? null,
  };
}

function configOf(flags: HubFlags): Config | null {
  if (flags.config !== undefined) return loadConfig({ file: flags.config, env: process.env });
  const workspace = findWorkspace(flags);
  return isWorkspace(workspace) ? workspaceConfig(workspace) : null;
}

const revealed = (section: object | undefined): Record<string, string> | null =>
  section === undefined
    ? null
    : Object.fromEntries(
        Object.entries(section).map(([key, value]) => [key, value instanceof Secret ? value.reveal() : String(value)]),
      );

/** The port that the hub calls already, where that is one of this machine. */
function portOf(apiBase = ''): number | null {
  const url = URL.parse(apiBase);
  return url && isLoopback(url.hostname) && url.port !== '' ? Number(url.port) : null;
}
