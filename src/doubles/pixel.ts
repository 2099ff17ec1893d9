import type { ApiAnswer } from './wire.ts';

/** The smallest PNG there is: what a double has for a picture. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

export const pixelAnswer: ApiAnswer = { status: 200, headers: { 'Content-Type': 'image/png' }, body: pixel };
