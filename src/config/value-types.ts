import { isIP } from 'node:net';
import { z } from 'zod';
import { Secret } from './config.ts';

/** The types of values. `read` checks what the file or the environment gave; `words` names the type for people. */
export interface ValueType<T> {
  words: string;
  read: z.ZodType<T>;
  /** What a variable's text stands for in the file's terms. Text that stands for nothing is kept: `read` refuses it. */
  fromText(text: string): unknown;
}

const durationPattern = /^(\d{1,9})(ms|s|m|h|d)$/;
const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const sameText = (value: string): unknown => value;
const asList = (value: string): unknown => value.split(',').map((item) => item.trim());
const asNumber = (value: string): unknown => (/^\d+$/.test(value) ? Number(value) : value);
const asFlag = (value: string): unknown => ({ true: true, false: false })[value.toLowerCase()] ?? value;

/** Whether `text` is an address with a prefix length, as `10.0.0.0/8` or `fd00::/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  const version = isIP(address);
  return version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}

const isWebUrl = (text: string): boolean => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '');
const isNatsUrl = (text: string): boolean => ['nats:', 'tls:'].includes(URL.parse(text)?.protocol ?? '');
const isOrigin = (value: string): boolean => value === '*' || URL.parse(value)?.origin === value;

const plainText = z.string({ error: 'must be text (put it in quotes)' });

/** Any text, at least one character long. */
export const text: ValueType<string> = {
  words: 'text',
  read: plainText.min(1, 'must not be empty'),
  fromText: sameText,
};

/** An http or https address; empty means none. */
export const webUrl: ValueType<string> = {
  words: 'URL',
  read: plainText.refine((value) => value === '' || isWebUrl(value), 'must be an http:// or https:// address'),
  fromText: sameText,
};

/** The address of a NATS server; empty means the embedded one. */
export const natsUrl: ValueType<string> = {
  words: 'URL',
  read: plainText.refine((value) => value === '' || isNatsUrl(value), 'must be a nats:// or tls:// address'),
  fromText: sameText,
};

export const flag: ValueType<boolean> = {
  words: 'true or false',
  read: z.boolean({ error: 'must be true or false' }),
  fromText: asFlag,
};

/** A whole number from `least` to `most`. */
export function number(least: number, most: number): ValueType<number> {
  const error = `must be a whole number from ${least} to ${most}`;
  return {
    words: `${least} to ${most}`,
    read: z.int({ error }).min(least, error).max(most, error),
    fromText: asNumber,
  };
}

/** 0 stands for any free port. */
export const port: ValueType<number> = { ...number(0, 65_535), words: 'port' };

/** A port, or `auto`: the usual one, and another where that is taken. */
export const portOrAuto: ValueType<number | 'auto'> = {
  words: 'port or auto',
  read: z.union([z.literal('auto'), port.read], { error: 'must be auto or a whole number from 0 to 65535' }),
  fromText: asNumber,
};

/** `500ms`, `30s`, `15m`, `12h` or `30d`; milliseconds in the configuration. */
export const duration: ValueType<number> = {
  words: 'duration',
  read: z
    .string({ error: 'must be a duration such as 12h or 30d' })
    .regex(durationPattern, 'must be a duration such as 12h or 30d')
    .transform((value) => {
      const [, count = '', unit = ''] = durationPattern.exec(value) ?? [];
      return Number(count) * (unitMs[unit] ?? 0);
    })
    .refine((ms) => ms > 0, 'must be longer than nothing'),
  fromText: sameText,
};

/** @param least as a duration is written: `24h` */
export const durationFrom = (least: string): ValueType<number> => ({
  ...duration,
  words: `duration, ${least} or more`,
  read: duration.read.refine((ms) => ms >= duration.read.parse(least), `must be ${least} or more`),
});

const sizePattern = /^(\d{1,6})(KiB|MiB|GiB)$/;
const unitBytes: Record<string, number> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
const sizeError = 'must be a size such as 500KiB or 25MiB';

/** `500KiB`, `25MiB` or `1GiB`; bytes in the configuration. */
export const size: ValueType<number> = {
  words: 'size',
  read: z
    .string({ error: sizeError })
    .regex(sizePattern, sizeError)
    .transform((value) => {
      const [, count = '', unit = ''] = sizePattern.exec(value) ?? [];
      return Number(count) * (unitBytes[unit] ?? 0);
    })
    .refine((bytes) => bytes > 0, 'must be more than nothing'),
  fromText: sameText,
};

export function choice<T extends string>(...allowed: [T, ...T[]]): ValueType<T> {
  const words = allowed.join(' or ');
  return { words, read: z.enum(allowed, { error: `must be ${words}` }), fromText: sameText };
}

function list(words: string, isItem: (item: string) => boolean, problem: string): ValueType<string[]> {
  return {
    words,
    read: z.array(plainText.refine(isItem, problem), { error: 'must be a list' }),
    fromText: asList,
  };
}

export const texts = list('list of text', (item) => item !== '', 'must not be empty');

/** A list that may also be written as one text with commas, as variables have it. */
export const textsOrCommas: ValueType<string[]> = {
  ...texts,
  words: 'list of text, or text with commas',
  read: z.preprocess((value) => (typeof value === 'string' ? asList(value) : value), texts.read),
};
export const origins = list('list of origins', isOrigin, 'must be an origin such as https://app.example.com, or *');
export const networks = list('list of networks', isNetwork, 'must be a network such as 10.0.0.0/8 or fd00::/8');

/** A secret that may be left out, as empty text. */
export function optionalSecret(least: number): ValueType<Secret | undefined> {
  const { words, read, fromText } = secret(least);
  return {
    words,
    read: z
      .literal('')
      .transform(() => undefined)
      .or(read),
    fromText,
  };
}

/** A secret of at least `least` characters. No problem text ever repeats the value. */
export function secret(least: number): ValueType<Secret> {
  const short = least === 1 ? 'must not be empty' : `must be at least ${least} characters long`;
  return {
    words: least === 1 ? 'secret' : `secret, ${least} characters or more`,
    read: plainText.min(least, short).transform((value) => new Secret(value)),
    fromText: sameText,
  };
}

const isMediaType = (text: string): boolean => text === '*' || /^[a-z]+\/([a-z0-9.+-]+|\*)$/.test(text);

/** Media types as `image/png`, `image/*` or `*`. */
export const mediaTypes = list('list of types', isMediaType, 'must be a type such as image/png, image/* or *');
