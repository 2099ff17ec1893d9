/**
 * What a page embeds:
 *
 *     <script>window.parley = { channelId: "…", host: "https://hub.example", config: {} }</script>
 *     <script async src="https://hub.example/chatplugin/ui/s.js"></script>
 */
import { browserEnvironment } from './browser.ts';
import type { WidgetConfig } from './ui/config.ts';
import { type Mounted, mount } from './ui/mount.tsx';

interface Embedding extends Partial<Mounted> {
  channelId?: string;
  /** The hub that the script came from, unless given. */
  host?: string;
  config?: WidgetConfig;
}

declare global {
  interface Window {
    parley?: Embedding;
  }
}

const script = document.currentScript as HTMLScriptElement | null;

function start(): void {
  // An element of the page that has this name is found there too, but is no property of the window's own.
  const embedding = (Object.hasOwn(window, 'parley') && window.parley) || {};
  const { channelId = script?.dataset['channelId'], host = script ? new URL(script.src).origin : location.origin } =
    embedding;
  if (!channelId) throw new Error('Parley: window.parley.channelId names the channel to chat on.');
  if (embedding.chat) return;
  window.parley = Object.assign(embedding, mount({ host, channelId }, embedding.config ?? {}, browserEnvironment()));
}

if (document.body) start();
else document.addEventListener('DOMContentLoaded', start);
