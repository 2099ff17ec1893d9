/** What the platform says of a message that did not arrive is a number: the documented texts of the frequent ones. */
const texts: Record<string, string> = {
  '21610': 'The recipient has unsubscribed',
  '30001': 'The queue is full',
  '30002': 'The account is suspended',
  '30003': 'The handset can not be reached',
  '30004': 'The message is blocked',
  '30005': 'The handset is unknown',
  '30006': 'The number is a landline, or its carrier can not be reached',
  '30007': 'The carrier filtered the message',
  '30008': 'An error that the carrier does not explain',
  '30034': 'The number is not registered for messages of this kind',
  '63003': 'The recipient is not on this channel',
  '63016': 'The contact wrote more than 24 hours ago, and this is no template',
  '63024': 'The recipient can not get messages of this kind',
};

/** Codes that ask for patience in answers whose status does not say so. */
const waits = new Set(['14107', '20429', '21611', '63018']);

export const asksToWait = (code: string): boolean => waits.has(code);

/**
 * The sentence of an error: the platform's own text where it gives one, with the code by which it is documented.
 * @param code empty or `0`: none
 */
export function failureText(code: string, text: string): string {
  const known = Object.hasOwn(texts, code) ? texts[code]! : 'The platform could not deliver the message';
  const said = text.trim() === '' ? known : text.trim();
  return code === '' || code === '0' ? said : `${said} (${code})`;
}
