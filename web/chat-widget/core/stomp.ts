/** STOMP 1.2 as the browser's side of the hub's socket needs it. Bodies are JSON, which never holds a NUL. */

export interface StompFrame {
  command: string;
  headers: Record<string, string>;
  body: string;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\r': '\\r', '\n': '\\n', ':': '\\c' };
const meanings: Record<string, string> = { '\\\\': '\\', '\\r': '\r', '\\n': '\n', '\\c': ':' };

/** CONNECT and CONNECTED are not escaped (1.2, "Value Encoding"). */
const isPlain = (command: string): boolean => command.startsWith('CONNECT');

/** The text of a frame. */
export function encodeFrame(command: string, headers: Record<string, string>, body = ''): string {
  const encode = (text: string) => (isPlain(command) ? text : text.replace(/[\\\r\n:]/g, (sign) => escapes[sign]!));
  const lines = Object.entries(headers).map(([name, value]) => `${encode(name)}:${encode(value)}\n`);
  return `${command}\n${lines.join('')}\n${body}\0`;
}

/** The frames of a WebSocket message. Line ends between them are heart-beats. */
export function decodeFrames(text: string): StompFrame[] {
  return text
    .split('\0')
    .map((part) => part.trimStart())
    .filter((part) => part !== '')
    .map(decodeFrame);
}

function decodeFrame(text: string): StompFrame {
  const [, head = text, body = ''] = /^([\s\S]*?)\r?\n\r?\n([\s\S]*)$/.exec(text) ?? [];
  const [command = '', ...lines] = head.split(/\r?\n/);
  const decode = (part: string) => (isPlain(command) ? part : part.replace(/\\./g, (sign) => meanings[sign] ?? sign));
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    // The first value of a repeated header counts.
    headers[decode(line.slice(0, colon))] ??= decode(line.slice(colon + 1));
  }
  return { command, headers, body };
}
