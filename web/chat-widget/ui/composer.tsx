import { h } from 'preact';
import type { Chat } from '../core/chat.ts';
import type { Settings } from './config.ts';
import { SendIcon } from './icons.tsx';

/** Characters; what the hub takes is bounded in bytes. */
const longest = 15_000;

/** Where the visitor writes. The text is the caller's, so that it outlives a closed panel. */
export function Composer(props: { chat: Chat; settings: Settings; text: string; setText(text: string): void }) {
  const { chat, settings, text, setText } = props;
  const { texts, sendOnEnter } = settings;
  const words = text.trim();

  const send = (event: Event) => {
    event.preventDefault();
    if (words === '') return;
    chat.send({ text: words });
    setText('');
    (event.currentTarget as Element).querySelector('textarea')?.focus();
  };
  const keyPressed = (event: KeyboardEvent) => {
    // Enter that accepts a word of an input method sends nothing.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || !sendOnEnter) return;
    event.preventDefault();
    (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit();
  };
  return (
    <form class="composer" onSubmit={send}>
      <textarea
        ref={(area) => grow(area)}
        rows={1}
        maxLength={longest}
        value={text}
        placeholder={texts.placeholder}
        aria-label={texts.placeholder}
        enterkeyhint={sendOnEnter ? 'send' : 'enter'}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          if (currentTarget.value !== '') chat.type();
        }}
        onKeyDown={keyPressed}
      />
      <button type="submit" class="send" aria-label={texts.send} disabled={words === ''}>
        <SendIcon />
      </button>
    </form>
  );
}

/** As high as its text; the style says where that ends. */
function grow(area: HTMLTextAreaElement | null): void {
  if (!area) return;
  area.style.height = 'auto';
  area.style.height = `${area.scrollHeight}px`;
}
