import { Component, createRef, Fragment, h } from 'preact';
import type { Chat, ChatState } from '../core/chat.ts';
import type { Settings } from './config.ts';
import { ChatIcon, DownIcon } from './icons.tsx';
import { Panel } from './panel.tsx';

interface WidgetProps {
  chat: Chat;
  settings: Settings;
}

interface WidgetState {
  chat: ChatState;
  isOpen: boolean;
  /** What the visitor has typed and not sent. */
  text: string;
}

/** The bubble in the page's corner, and the chat that it opens. */
export class Widget extends Component<WidgetProps, WidgetState> {
  readonly #launcher = createRef<HTMLButtonElement>();
  /** What had the focus before the chat was opened. */
  #opener: HTMLElement | null = null;
  #unsubscribe = () => {};

  constructor(props: WidgetProps) {
    super(props);
    this.state = { chat: props.chat.state, isOpen: props.settings.startOpen ?? false, text: '' };
  }

  override componentDidMount(): void {
    this.#unsubscribe = this.props.chat.subscribe((chat) => this.setState({ chat }));
  }

  override componentWillUnmount(): void {
    this.#unsubscribe();
  }

  open(): void {
    this.#opener = document.activeElement as HTMLElement | null;
    this.setState({ isOpen: true });
  }

  /** The focus goes back to where it came from. */
  close(): void {
    this.setState({ isOpen: false }, () => (this.#launcher.current ?? this.#opener)?.focus());
  }

  override render() {
    const { chat, settings } = this.props;
    const { chat: state, isOpen, text } = this.state;
    const { texts } = settings;
    const unread = state.unread > 0 ? `, ${texts.unread.replace('{count}', String(state.unread))}` : '';
    return (
      <>
        {isOpen && (
          <Panel
            {...{ chat, state, settings, text }}
            setText={(text) => this.setState({ text })}
            close={() => this.close()}
          />
        )}
        {settings.showBubble && (
          <button
            ref={this.#launcher}
            type="button"
            class={isOpen ? 'launcher opened' : 'launcher'}
            aria-label={isOpen ? texts.close : texts.open + unread}
            aria-expanded={isOpen}
            aria-haspopup="dialog"
            onClick={() => (isOpen ? this.close() : this.open())}
          >
            {isOpen ? <DownIcon /> : <ChatIcon />}
            {!isOpen && state.unread > 0 && <span class="dot">{Math.min(state.unread, 99)}</span>}
          </button>
        )}
      </>
    );
  }
}
