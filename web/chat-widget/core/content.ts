/** What the content of a Message shows. Content is anybody's JSON: whatever does not fit is passed over. */
import type { Json } from './contract.ts';
import { safeLink, safeMedia } from './links.ts';

export type MediaKind = 'image' | 'video' | 'audio' | 'file';

export interface Media {
  kind: MediaKind;
  url: string;
  /** What it shows, or the name of the file; may be empty. */
  name: string;
}

/** Something to choose: an answer that is sent as the visitor's, or an address to go to. */
export type Choice =
  | { kind: 'reply'; text: string; postback: string | null; image: string | null }
  | { kind: 'link'; text: string; url: string };

export interface Card {
  title: string;
  description: string;
  media: Media | null;
  height: 'short' | 'medium' | 'tall';
  choices: Choice[];
}

export interface Shown {
  text: string;
  media: Media[];
  /** One card, or a carousel of several. */
  cards: Card[];
  /** Quick replies and suggestions: offered until something newer is written. */
  choices: Choice[];
}

type Fields = { [key: string]: Json };

const maxCards = 10;
const maxChoices = 13;
const maxMedia = 20;

/** @param base the hub's address */
export function readContent(content: Json, base: string): Shown {
  if (typeof content === 'string') return { text: content, media: [], cards: [], choices: [] };
  const fields = fieldsOf(content);
  const cards = cardsOf(fieldsOf(fields.richCard), base);
  const media = mediaOf(fields, base);
  const text = textOf(fields.text) || (cards.length + media.length > 0 ? '' : textOf(fields.fallback));
  const quickReplies = listOf(fields.quick_replies);
  const choices = [
    ...quickReplies.map((reply) => quickReplyOf(fieldsOf(reply), base)),
    ...listOf(fields.suggestions).map((suggestion) => suggestionOf(fieldsOf(suggestion), base)),
  ];
  return { text, media, cards, choices: someOf(choices, maxChoices) };
}

/** What a message without any content that can be shown would be: nothing. */
export const isEmpty = ({ text, media, cards }: Shown): boolean => !text && media.length + cards.length === 0;

/** What is sent when a visitor chooses an answer. */
export function replyContent({ text, postback }: { text: string; postback: string | null }): Json {
  return postback === null ? { text } : { text, postbackData: postback };
}

function mediaOf(fields: Fields, base: string): Media[] {
  const attachments = [fields.attachment, ...listOf(fields.attachments)].map((given) => attachmentOf(given, base));
  const image = fields.image === undefined ? null : contentInfoOf(fieldsOf(fields.image), base);
  return someOf([image, ...attachments], maxMedia);
}

/** `{type, payload: {url, name?}}`, as page messengers have it. */
function attachmentOf(given: Json | undefined, base: string): Media | null {
  const { type, payload } = fieldsOf(given);
  const { url: address, name, title } = fieldsOf(payload);
  const url = safeMedia(address, base);
  if (url === null) return null;
  const kind = type === 'image' || type === 'video' || type === 'audio' ? type : 'file';
  return { kind, url, name: textOf(name) || textOf(title) };
}

/** `{contentInfo: {fileUrl, altText?}}`, as rich cards have it: an image, or a film by its name. */
function contentInfoOf(fields: Fields, base: string): Media | null {
  const { fileUrl, altText } = fieldsOf(fields.contentInfo);
  const url = safeMedia(fileUrl, base);
  if (url === null) return null;
  const kind = /\.(?:mp4|m4v|webm|ogv|mov)$/i.test(new URL(url).pathname) ? 'video' : 'image';
  return { kind, url, name: textOf(altText) };
}

function cardsOf({ standaloneCard, carouselCard }: Fields, base: string): Card[] {
  const contents = carouselCard ? listOf(fieldsOf(carouselCard).cardContents) : [fieldsOf(standaloneCard).cardContent];
  return contents
    .slice(0, maxCards)
    .map((content) => cardOf(fieldsOf(content), base))
    .filter((card) => card.title || card.description || card.media);
}

function cardOf(fields: Fields, base: string): Card {
  const media = fieldsOf(fields.media);
  const height = textOf(media.height).toLowerCase();
  const choices = listOf(fields.suggestions).map((suggestion) => suggestionOf(fieldsOf(suggestion), base));
  return {
    title: textOf(fields.title),
    description: textOf(fields.description),
    media: contentInfoOf(media, base),
    height: height === 'short' || height === 'tall' ? height : 'medium',
    choices: someOf(choices, maxChoices),
  };
}

/** `{content_type: 'text', title, payload?, image_url?}` */
function quickReplyOf(fields: Fields, base: string): Choice | null {
  const text = textOf(fields.title);
  if (!text) return null;
  const image = safeMedia(fields.image_url, base);
  return { kind: 'reply', text, postback: postbackOf(fields.payload), image };
}

/** `{reply: {text, postbackData?}}`, or `{action: {text, openUrlAction: {url} | dialAction: {phoneNumber}}}` */
function suggestionOf({ reply, action }: Fields, base: string): Choice | null {
  const { text, postbackData, openUrlAction, dialAction } = fieldsOf(reply ?? action);
  const label = textOf(text);
  if (!label) return null;
  if (reply !== undefined) return { kind: 'reply', text: label, postback: postbackOf(postbackData), image: null };
  const { phoneNumber } = fieldsOf(dialAction);
  const url = safeLink(phoneNumber === undefined ? fieldsOf(openUrlAction).url : `tel:${textOf(phoneNumber)}`, base);
  return url === null ? null : { kind: 'link', text: label, url };
}

/** Those that can be shown, up to a number of them. */
const someOf = <T>(found: (T | null)[], most: number): T[] => found.filter((one) => one !== null).slice(0, most);

const postbackOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

const fieldsOf = (value: Json | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
