/** The module for pages that bring their own looks: `import { createChat } from '…/chatplugin/ui/widget.mjs'`. */
import { browserEnvironment } from './browser.ts';
import { Chat, type ChatOptions } from './core/chat.ts';

/** Begins, or goes on with, this visitor's chat on a channel. */
export const createChat = (options: ChatOptions): Chat => new Chat(options, browserEnvironment());
