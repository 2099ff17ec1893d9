import { describe, expect, it } from 'vitest';
import { isEmpty, readContent, replyContent } from '#web/chat-widget/core/content.ts';
import { safeLink, safeMedia } from '#web/chat-widget/core/links.ts';

const base = 'https://hub.example';
const nothing = { text: '', media: [], cards: [], choices: [] };
const read = (content: unknown) => readContent(content as never, base);
const file = 'https://a.example/a.png';

describe('content', () => {
  it.each([
    ['a text', 'Hello', { text: 'Hello' }],
    ['an object with a text', { text: 'Hello' }, { text: 'Hello' }],
    ['rich text', { text: '**Hi**', fallback: 'Hi', containsRichText: true }, { text: '**Hi**' }],
    ['a fallback where there is nothing else', { fallback: 'Hi' }, { text: 'Hi' }],
    [
      'an image',
      { image: { contentInfo: { fileUrl: file, altText: 'A lamp' } } },
      { media: [{ kind: 'image', url: file, name: 'A lamp' }] },
    ],
    [
      'an attachment',
      { attachment: { type: 'audio', payload: { url: '/media/x' } } },
      { media: [{ kind: 'audio', url: 'https://hub.example/media/x', name: '' }] },
    ],
    [
      'attachments of any type',
      { text: 'See', attachments: [{ type: 'zip', payload: { url: file, name: 'a.zip' } }] },
      { text: 'See', media: [{ kind: 'file', url: file, name: 'a.zip' }] },
    ],
    [
      'quick replies',
      { text: 'Which?', quick_replies: [{ content_type: 'text', title: 'One', payload: '1', image_url: file }] },
      { text: 'Which?', choices: [{ kind: 'reply', text: 'One', postback: '1', image: file }] },
    ],
    [
      'suggestions',
      {
        text: 'Well?',
        suggestions: [
          { reply: { text: 'Yes' } },
          { action: { text: 'Look', openUrlAction: { url: 'https://a.example' } } },
          { action: { text: 'Call', dialAction: { phoneNumber: '+4930' } } },
        ],
      },
      {
        text: 'Well?',
        choices: [
          { kind: 'reply', text: 'Yes', postback: null, image: null },
          { kind: 'link', text: 'Look', url: 'https://a.example/' },
          { kind: 'link', text: 'Call', url: 'tel:+4930' },
        ],
      },
    ],
    [
      'a card',
      {
        richCard: {
          standaloneCard: {
            cardContent: {
              title: 'Lamp',
              description: 'Blue',
              media: { height: 'TALL', contentInfo: { fileUrl: file } },
            },
          },
        },
      },
      {
        cards: [
          {
            ...{ title: 'Lamp', description: 'Blue', height: 'tall', choices: [] },
            media: { kind: 'image', url: file, name: '' },
          },
        ],
      },
    ],
    [
      'a carousel',
      { richCard: { carouselCard: { cardContents: [{ title: 'One' }, { title: 'Two' }, {}] } } },
      {
        cards: ['One', 'Two'].map((title) => ({ title, description: '', height: 'medium', choices: [], media: null })),
      },
    ],
  ])('shows %s', (_, content, wanted) => {
    expect(read(content)).toEqual({ ...nothing, ...wanted });
  });

  it.each([
    null,
    7,
    [],
    {},
    { text: 7 },
    { text: { toString: 'x' } },
    { attachment: 'x', attachments: { 0: 1 } },
    { richCard: { carouselCard: { cardContents: 'x' } } },
    { quick_replies: [null, 1, { title: 2 }] },
    { suggestions: [{}, { action: { text: 'x' } }, { reply: 'x' }] },
    { image: { contentInfo: { fileUrl: 'javascript:alert(1)' } } },
  ])('is nothing that can be shown: %j', (content) => {
    expect(read(content)).toEqual(nothing);
    expect(isEmpty(read(content))).toBe(true);
  });

  it('bounds what one message offers', () => {
    const many = <T>(one: T): T[] => Array<T>(1_000).fill(one);
    const shown = read({
      attachments: many({ payload: { url: file } }),
      quick_replies: many({ title: 'x' }),
      richCard: { carouselCard: { cardContents: many({ title: 'x' }) } },
    });
    expect([shown.media.length, shown.choices.length, shown.cards.length]).toEqual([20, 13, 10]);
  });

  it('answers a choice as what was chosen', () => {
    expect(replyContent({ text: 'One', postback: '1' })).toEqual({ text: 'One', postbackData: '1' });
    expect(replyContent({ text: 'One', postback: null })).toEqual({ text: 'One' });
  });
});

describe('an address', () => {
  it.each([
    ['https://a.example/x', 'https://a.example/x'],
    ['/x', 'https://hub.example/x'],
    ['HTTP://a.example', 'http://a.example/'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['tel:+4930', 'tel:+4930'],
    ['javascript:alert(1)', null],
    [' java\nscript:alert(1)', null],
    ['\u0000javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['blob:https://hub.example/1', null],
    ['vbscript:x', null],
    ['http://', null],
    [7, null],
  ])('is safe to follow, or none: %j', (given, wanted) => {
    expect(safeLink(given, base)).toBe(wanted);
  });

  it('is loaded from the web only', () => {
    expect(safeMedia('https://a.example/x', base)).toBe('https://a.example/x');
    expect(['tel:1', 'mailto:a@b.example', 'data:image/png,x'].map((given) => safeMedia(given, base))).toEqual([
      null,
      null,
      null,
    ]);
  });
});
