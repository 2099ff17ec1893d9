import type { Config } from '#src/config/config.ts';
import { isLoopback } from '#src/config/loopback.ts';
import { visitedSource } from '#src/connectors/registry.ts';
import { ApiError, createApiClient } from './api-client.ts';

/**
 * Connects a channel to try the chat with, on a hub that only this machine reaches.
 * @param url of the hub
 * @returns the address of a page with the chat; null: there is no such channel here
 */
export async function demoPage({ server, security }: Config, url: string): Promise<string | null> {
  if (!isLoopback(server.host)) return null;
  const hub = createApiClient({ endpoint: url, token: security.systemToken.reveal() });
  try {
    const { id } = await hub.call<{ id: string }>(`channels.${visitedSource}.connect`, { name: 'demo' });
    return `${url}/${visitedSource}/ui/example?channel_id=${id}`;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
