/** How the widget looks and what it says: `window.parley.config`. */

export const defaultTexts = {
  title: 'Chat with us',
  subtitle: 'We usually reply within a few minutes',
  welcome: 'Hello! How can we help?',
  placeholder: 'Write a message…',
  open: 'Open chat',
  close: 'Close chat',
  unread: '{count} new',
  send: 'Send message',
  messages: 'Messages',
  you: 'You',
  agent: 'Support',
  typing: 'Somebody is typing',
  reconnecting: 'Reconnecting…',
  kept: 'What you write is sent as soon as it works again.',
  sending: 'Sending…',
  failed: 'Not sent',
  retry: 'Try again',
  discard: 'Remove',
  latest: 'Latest messages',
  end: 'End chat',
  endQuestion: 'End this chat?',
  endWarning: 'You will not see its messages any more.',
  endConfirm: 'End chat',
  endCancel: 'Keep chatting',
  ended: 'This chat has ended.',
  restart: 'Start new conversation',
  unavailable: 'The chat is not available at the moment.',
  previous: 'Previous card',
  next: 'Next card',
  file: 'File',
  unknown: 'This message can not be shown here.',
};

export type Texts = typeof defaultTexts;

export interface Colors {
  /** Of the visitor's messages, and of what can be pressed. */
  accent: string;
  /** On the accent; white or black unless given, whichever can be read better. */
  onaccent: string;
  background: string;
  /** Of the agents' messages. */
  surface: string;
  text: string;
  /** Of what is less important. */
  muted: string;
  border: string;
}

export interface WidgetConfig {
  texts?: Partial<Texts>;
  /** `auto`, the default: as the visitor's device has it. */
  theme?: 'auto' | 'light' | 'dark';
  colors?: Partial<Colors>;
  /** In the place of `colors` where it is dark. */
  darkColors?: Partial<Colors>;
  /** Pixels. */
  size?: { width?: number; height?: number; bubble?: number; font?: number; radius?: number };
  position?: { x?: number; y?: number };
  /** Where the widget stands; `end` unless given: right, where people read from left to right. */
  side?: 'start' | 'end';
  /** A picture in the header and beside the messages of agents who have none. */
  avatarUrl?: string;
  /** Of times and dates: `de-DE`; that of the page unless given. */
  locale?: string;
  /** The chat is open when the page appears. */
  startOpen?: boolean;
  /** Without it the page opens the chat itself: `window.parley.open()`. */
  showBubble?: boolean;
  /** Otherwise Enter begins a new line. */
  sendOnEnter?: boolean;
  /** The visitor can end the chat. */
  canEnd?: boolean;
}

/** The configuration with everything that it leaves out. */
export interface Settings extends WidgetConfig {
  texts: Texts;
  theme: 'auto' | 'light' | 'dark';
  showBubble: boolean;
  sendOnEnter: boolean;
  canEnd: boolean;
  /** The hub's address, which addresses in messages are relative to. */
  host: string;
}

export function settingsOf(config: WidgetConfig, host: string): Settings {
  return {
    showBubble: true,
    sendOnEnter: true,
    canEnd: true,
    ...config,
    theme: config.theme ?? 'auto',
    texts: { ...defaultTexts, ...config.texts },
    host,
  };
}
