import { Component, createRef, h } from 'preact';
import type { Chat, ChatState } from '../core/chat.ts';
import { readContent, replyContent } from '../core/content.ts';
import { type Choose, Choices } from './cards.tsx';
import type { Settings } from './config.ts';
import { AgentRow, GroupView } from './group.tsx';
import { dayName, groupByDay } from './grouping.ts';
import { DownIcon } from './icons.tsx';

interface ListProps {
  chat: Chat;
  state: ChatState;
  settings: Settings;
}

/** Pixels from the end within which a reader is at the end. */
const nearEnd = 48;

/** What was written, oldest first. The style keeps it at its end until its reader scrolls back. */
export class MessageList extends Component<ListProps, { isAtEnd: boolean }> {
  override state = { isAtEnd: true };
  readonly #log = createRef<HTMLDivElement>();

  override componentDidUpdate({ state }: ListProps): void {
    const last = this.props.state.lines.at(-1);
    if (last?.fromVisitor && last.key !== state.lines.at(-1)?.key) this.#goToEnd();
  }

  override render() {
    const { chat, state, settings } = this.props;
    const { texts, locale, host } = settings;
    const last = state.lines.at(-1);
    const isOpen = state.phase === 'new' || state.phase === 'active';
    const choose: Choose = isOpen ? (choice) => chat.send(replyContent(choice)) : null;
    return (
      <div class="history">
        <div
          class="log"
          ref={this.#log}
          role="log"
          aria-label={texts.messages}
          tabIndex={0}
          // The list is turned round: its end is at 0, what is before it below 0.
          onScroll={({ currentTarget }) => this.setState({ isAtEnd: currentTarget.scrollTop > -nearEnd })}
        >
          <div class="content">
            {texts.welcome && (
              <AgentRow settings={settings}>
                <div class="bubble">{texts.welcome}</div>
              </AgentRow>
            )}
            {groupByDay(state.lines).map(({ key, at, groups }) => (
              <div class="day" key={key}>
                <p class="date">{dayName(at, Date.now(), locale)}</p>
                {groups.map((group) => (
                  <GroupView key={group.key} {...{ group, chat, settings, choose }} />
                ))}
              </div>
            ))}
            {last && !last.fromVisitor && (
              <Choices class="chips" choices={readContent(last.content, host).choices} choose={choose} />
            )}
            {state.agentTypes && (
              <AgentRow settings={settings} sender={state.lines.findLast(({ sender }) => sender?.name)?.sender}>
                <div class="bubble typing">
                  <span class="hidden">{texts.typing}</span>
                  <i />
                  <i />
                  <i />
                </div>
              </AgentRow>
            )}
          </div>
        </div>
        {!this.state.isAtEnd && (
          <button type="button" class="to-end" onClick={() => this.#goToEnd()}>
            <DownIcon />
            {texts.latest}
          </button>
        )}
      </div>
    );
  }

  #goToEnd(): void {
    this.#log.current?.scrollTo({ top: 0 });
  }
}
