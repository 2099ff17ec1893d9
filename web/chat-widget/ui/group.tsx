import { type ComponentChildren, Fragment, h } from 'preact';
import type { Chat } from '../core/chat.ts';
import type { Line } from '../core/line.ts';
import { safeMedia } from '../core/links.ts';
import type { Choose } from './cards.tsx';
import type { Settings } from './config.ts';
import { LineView } from './line.tsx';
import { type Group, timeName } from './grouping.ts';

interface GroupProps {
  group: Group;
  chat: Chat;
  settings: Settings;
  choose: Choose;
}

/** What one side wrote, under its name and with its time. */
export function GroupView({ group, chat, settings, choose }: GroupProps) {
  const lines = group.lines.map((line) => <LineView key={line.key} line={line} settings={settings} choose={choose} />);
  const end = <GroupEnd group={group} chat={chat} settings={settings} />;
  if (group.fromVisitor)
    return (
      <div class="group own">
        {lines}
        {end}
      </div>
    );
  return (
    <AgentRow settings={settings} sender={group.sender}>
      {group.sender?.name && (
        <p class="name" aria-hidden="true">
          {group.sender.name}
        </p>
      )}
      {lines}
      {end}
    </AgentRow>
  );
}

/** The side of agents: their picture, or the first letter of their name, and what is beside it. */
export function AgentRow(props: { settings: Settings; sender?: Line['sender']; children: ComponentChildren }) {
  const { settings, sender, children } = props;
  const picture = safeMedia(sender?.avatar_url, settings.host) ?? settings.avatarUrl;
  const [initial = ''] = sender?.name || settings.texts.title;
  return (
    <div class="group">
      <span class="avatar" aria-hidden="true">
        {picture ? <img src={picture} alt="" referrerpolicy="no-referrer" /> : initial.toUpperCase()}
      </span>
      {children}
    </div>
  );
}

/** When it was written, or what became of it instead. */
function GroupEnd({ group: { lines }, chat, settings }: Omit<GroupProps, 'choose'>) {
  const { texts, locale } = settings;
  const failed = lines.filter(({ status }) => status === 'failed');
  const { status, at } = lines.at(-1)!;
  return (
    <>
      {failed.map((line) => (
        <p class="note failed" key={line.key}>
          <span title={line.problem}>{texts.failed}</span>
          <button type="button" onClick={() => chat.retry(line)}>
            {texts.retry}
          </button>
          <button type="button" onClick={() => chat.discard(line)}>
            {texts.discard}
          </button>
        </p>
      ))}
      {status !== 'failed' && (
        <p class="note">
          {status === 'sending' ? (
            texts.sending
          ) : (
            <time dateTime={new Date(at).toISOString()}>{timeName(at, locale)}</time>
          )}
        </p>
      )}
    </>
  );
}
