import { createRef, h, render } from 'preact';
import { Chat, type ChatOptions } from '../core/chat.ts';
import type { Environment } from '../core/environment.ts';
import { settingsOf, type WidgetConfig } from './config.ts';
import frame from './styles/frame.css';
import messages from './styles/messages.css';
import { propertiesOf } from './theme.ts';
import { Widget } from './widget.tsx';

/** A widget on a page. */
export interface Mounted {
  chat: Chat;
  open(): void;
  close(): void;
  /** Takes it off the page. */
  unmount(): void;
}

/**
 * Puts the widget on the page, in a shadow tree: no style of the page reaches into it, and none of its own out. Its
 * styles are a constructed sheet and properties set by script, which a Content-Security-Policy without inline styles
 * lets through.
 */
export function mount(options: ChatOptions, config: WidgetConfig, environment: Environment): Mounted {
  const chat = new Chat(options, environment);
  const settings = settingsOf(config, options.host);
  const host = document.createElement('parley-chat');
  const shadow = host.attachShadow({ mode: 'open' });
  shadow.adoptedStyleSheets = [frame, messages].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  const root = document.createElement('div');
  root.className = 'root';
  root.dataset['theme'] = settings.theme;
  root.dataset['side'] = config.side ?? 'end';
  for (const [name, value] of propertiesOf(config)) root.style.setProperty(name, value);
  shadow.append(root);
  document.body.append(host);
  const widget = createRef<Widget>();
  render(<Widget ref={widget} chat={chat} settings={settings} />, root);
  return {
    chat,
    open: () => widget.current?.open(),
    close: () => widget.current?.close(),
    unmount() {
      render(null, root);
      host.remove();
      chat.close();
    },
  };
}
