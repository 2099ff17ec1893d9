import { Component, createRef, h } from 'preact';
import type { Chat, ChatState } from '../core/chat.ts';
import { Composer } from './composer.tsx';
import type { Settings } from './config.ts';
import { activeIn, keepFocusInside } from './focus.ts';
import { CloseIcon, EndIcon } from './icons.tsx';
import { MessageList } from './message-list.tsx';

interface PanelProps {
  chat: Chat;
  state: ChatState;
  settings: Settings;
  text: string;
  setText(text: string): void;
  close(): void;
}

const phone = '(max-width: 480px)';

/** The open chat. */
export class Panel extends Component<PanelProps, { isAsking: boolean }> {
  override state = { isAsking: false };
  readonly #panel = createRef<HTMLElement>();

  override componentDidMount(): void {
    focusFirst(this.#panel.current);
    this.#look();
  }

  override componentDidUpdate(): void {
    // What had the focus may be gone.
    if (!activeIn(this.#panel.current!)) focusFirst(this.#panel.current);
    this.#look();
  }

  override render() {
    const { state, settings, chat, close } = this.props;
    const { texts } = settings;
    const { isAsking } = this.state;
    const ask = (isAsking: boolean) => this.setState({ isAsking });
    return (
      <section
        ref={this.#panel}
        class="panel"
        role="dialog"
        aria-label={texts.title}
        aria-modal={matchMedia(phone).matches}
        onKeyDown={(event) => this.#keyPressed(event)}
      >
        <header class="header">
          {settings.avatarUrl && <img class="portrait" src={settings.avatarUrl} alt="" />}
          <div class="titles">
            <h2>{texts.title}</h2>
            {texts.subtitle && <p>{texts.subtitle}</p>}
          </div>
          {settings.canEnd && state.phase === 'active' && (
            <button type="button" class="round" aria-label={texts.end} title={texts.end} onClick={() => ask(true)}>
              <EndIcon />
            </button>
          )}
          <button type="button" class="round" aria-label={texts.close} title={texts.close} onClick={close}>
            <CloseIcon />
          </button>
        </header>
        <div class="body">
          <MessageList chat={chat} state={state} settings={settings} />
          <div class="overlay" role="status">
            {state.connection === 'offline' && state.phase !== 'unavailable' && (
              <p>
                <i class="spinner" />
                <strong>{texts.reconnecting}</strong>
                <span>{texts.kept}</span>
              </p>
            )}
          </div>
        </div>
        {isAsking ? (
          <EndQuestion
            texts={texts}
            cancel={() => ask(false)}
            end={() => {
              ask(false);
              chat.end();
            }}
          />
        ) : (
          <Foot {...this.props} />
        )}
      </section>
    );
  }

  #look(): void {
    if (document.visibilityState === 'visible') this.props.chat.markSeen();
  }

  #keyPressed(event: KeyboardEvent): void {
    // The page's own shortcuts are not for what is written here.
    event.stopPropagation();
    if (event.key === 'Tab') keepFocusInside(this.#panel.current!, event);
    if (event.key !== 'Escape' || event.isComposing) return;
    if (this.state.isAsking) this.setState({ isAsking: false });
    else this.props.close();
  }
}

/** What can be done: write, or begin anew. */
function Foot({ chat, state, settings, text, setText }: PanelProps) {
  const { texts } = settings;
  switch (state.phase) {
    case 'ended':
      return (
        <div class="foot">
          <p>{texts.ended}</p>
          <button type="button" class="primary" onClick={() => chat.restart()}>
            {texts.restart}
          </button>
        </div>
      );
    case 'unavailable':
      return (
        <div class="foot" role="status">
          <p>{texts.unavailable}</p>
        </div>
      );
    default:
      return <Composer chat={chat} settings={settings} text={text} setText={setText} />;
  }
}

function EndQuestion(props: { texts: Settings['texts']; end(): void; cancel(): void }) {
  const { texts, end, cancel } = props;
  return (
    <div class="foot" role="alertdialog" aria-labelledby="end-question" aria-describedby="end-warning">
      <p id="end-question">
        <strong>{texts.endQuestion}</strong>
      </p>
      <p id="end-warning">{texts.endWarning}</p>
      <div class="buttons">
        <button type="button" class="secondary" ref={takeFocus} onClick={cancel}>
          {texts.endCancel}
        </button>
        <button type="button" class="danger" onClick={end}>
          {texts.endConfirm}
        </button>
      </div>
    </div>
  );
}

const takeFocus = (element: HTMLElement | null) => element?.focus();

/** Where the visitor goes on: the input, or else the only button. A phone's keyboard is left down. */
function focusFirst(panel: HTMLElement | null): void {
  const wanted = matchMedia(phone).matches ? ['.primary', '.log'] : ['textarea', '.primary', '.log'];
  takeFocus(wanted.map((part) => panel?.querySelector<HTMLElement>(part)).find((part) => part) ?? null);
}
