import { Component, createRef } from 'preact';
import type { Chat, ChatState, Entry } from '../core/chat.ts';
import { replyContent } from '../core/content.ts';
import { EntryView } from './bubble.tsx';
import type { Settings } from './config.ts';
import { dayName, type Group, groupByDay, timeName } from './grouping.ts';
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
    const last = this.props.state.entries.at(-1);
    if (last?.fromVisitor && last.key !== state.entries.at(-1)?.key) this.#goToEnd();
  }

  override render() {
    const { chat, state, settings } = this.props;
    const { texts } = settings;
    const last = state.entries.at(-1);
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
              <div class="group">
                <Avatar settings={settings} sender={undefined} />
                <div class="entry">
                  <div class="bubble">{texts.welcome}</div>
                </div>
              </div>
            )}
            {groupByDay(state.entries).map((day) => (
              <div class="day" key={day.key}>
                <p class="date">{dayName(day.at, Date.now(), texts, settings.locale)}</p>
                {day.groups.map((group) => (
                  <GroupView key={group.key} {...{ group, chat, state, settings, last }} />
                ))}
              </div>
            ))}
            {state.agentTypes && (
              <div class="group">
                <Avatar settings={settings} sender={undefined} />
                <div class="bubble typing">
                  <span class="hidden">{texts.typing}</span>
                  <i />
                  <i />
                  <i />
                </div>
              </div>
            )}
          </div>
        </div>
        {!this.state.isAtEnd && (
          <button type="button" class="to-end" onClick={() => this.#goToEnd()}>
            <DownIcon />
            {texts.newMessages}
          </button>
        )}
      </div>
    );
  }

  #goToEnd(): void {
    this.#log.current?.scrollTo({ top: 0 });
  }
}

interface GroupProps extends ListProps {
  group: Group;
  last: Entry | undefined;
}

function GroupView({ group, chat, state, settings, last }: GroupProps) {
  const isOpen = state.phase === 'new' || state.phase === 'active';
  const choose = isOpen ? (choice: { text: string; postback: string | null }) => chat.send(replyContent(choice)) : null;
  return (
    <div class={group.fromVisitor ? 'group own' : 'group'}>
      {!group.fromVisitor && <Avatar settings={settings} sender={group.sender} />}
      {!group.fromVisitor && group.sender?.name && (
        <p class="name" aria-hidden="true">
          {group.sender.name}
        </p>
      )}
      {group.entries.map((entry) => (
        <EntryView key={entry.key} entry={entry} settings={settings} choose={choose} isLast={entry === last} />
      ))}
      <GroupEnd group={group} chat={chat} settings={settings} />
    </div>
  );
}

/** When it was written; or what became of it instead. */
function GroupEnd({ group, chat, settings }: { group: Group; chat: Chat; settings: Settings }) {
  const { texts, locale } = settings;
  const failed = group.entries.filter(({ status }) => status === 'failed');
  const last = group.entries.at(-1)!;
  return (
    <>
      {failed.map((entry) => (
        <p class="note failed" key={entry.key}>
          <span title={entry.problem}>{texts.failed}</span>
          <button type="button" onClick={() => chat.retry(entry)}>
            {texts.retry}
          </button>
          <button type="button" onClick={() => chat.discard(entry)}>
            {texts.discard}
          </button>
        </p>
      ))}
      {last.status !== 'failed' && (
        <p class="note">
          {last.status === 'sending' ? (
            texts.sending
          ) : (
            <time dateTime={new Date(last.at).toISOString()}>{timeName(last.at, locale)}</time>
          )}
        </p>
      )}
    </>
  );
}

function Avatar({ settings, sender }: { settings: Settings; sender: Entry['sender'] }) {
  const name = sender?.name || settings.texts.title;
  const url = settings.avatarUrl;
  return (
    <span class="avatar" aria-hidden="true">
      {url ? <img src={url} alt="" /> : [...name][0]?.toUpperCase()}
    </span>
  );
}
