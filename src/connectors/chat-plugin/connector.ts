import type { Config } from '#src/config/config.ts';
import type { Connector } from '../connector.ts';
import { source } from './visits.ts';

/** Chats on web pages: the hub itself is their platform, so that visitors come to it with what they write, and for what they are written. */
export const chatPluginConnector = ({ components }: Pick<Config, 'components'>): Connector | null =>
  components.sources[source] === undefined
    ? null
    : { name: 'chat-plugin', sources: [source], routes: [], deliver: 'collected' };
