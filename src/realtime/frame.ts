/** STOMP frames as bytes: https://stomp.github.io/stomp-specification-1.2.html, and 1.1 and 1.0 where they differ. */

export type StompVersion = '1.0' | '1.1' | '1.2';

/** The first value of a repeated header counts (1.2, "Repeated Header Entries"). */
export type Headers = ReadonlyMap<string, string>;

export interface Frame {
  command: string;
  headers: Headers;
  body: Buffer;
}

export interface FrameLimits {
  /** Bytes of a whole frame, its NUL included. */
  frameBytes: number;
  headers: number;
  /** Bytes of the command's line and of each header's line. */
  lineBytes: number;
}

export const clientLimits: FrameLimits = { frameBytes: 64 * 1024, headers: 64, lineBytes: 8 * 1024 };

/** The bytes are not a STOMP frame, or too much of one. The message is a sentence for the peer. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

const LF = 10;
const CR = 13;
const empty = Buffer.alloc(0);
/** Of all parsers: it keeps nothing between two calls. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const unescapes: Record<StompVersion, Record<string, string>> = {
  '1.0': {},
  '1.1': { '\\n': '\n', '\\c': ':', '\\\\': '\\' },
  '1.2': { '\\r': '\r', '\\n': '\n', '\\c': ':', '\\\\': '\\' },
};
const escapes: Record<string, string> = { '\r': '\\r', '\n': '\\n', ':': '\\c', '\\': '\\\\' };

/** CONNECT and CONNECTED stay as they are, so that a 1.0 peer can read them (1.2, "Value Encoding"). */
const isPlain = (command: string, version: StompVersion) =>
  version === '1.0' || command === 'CONNECT' || command === 'CONNECTED' || command === 'STOMP';

function unescapeText(text: string, version: StompVersion): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\.?/gs, (sequence) => {
    const meant = unescapes[version][sequence];
    if (meant === undefined)
      throw new FrameError(
        `A header has the escape ${JSON.stringify(sequence)}, which STOMP ${version} does not know.`,
      );
    return meant;
  });
}

/** What a version cannot express is left out: a raw line end would start another header. */
function escapeText(text: string, command: string, version: StompVersion): string {
  if (isPlain(command, version)) return text.replace(/[\r\n\0]/g, '');
  const allowed = version === '1.1' ? text.replace(/[\r\0]/g, '') : text.replace(/\0/g, '');
  return allowed.replace(/[\r\n:\\]/g, (character) => escapes[character] as string);
}

/** The command and header lines of a frame, each with its line end; without the empty line before the body. */
export function headerText(
  command: string,
  headers: Iterable<readonly [string, string]>,
  version: StompVersion,
): string {
  let text = `${command}\n`;
  for (const [name, value] of headers) {
    text += `${escapeText(name, command, version)}:${escapeText(value, command, version)}\n`;
  }
  return text;
}

/** A whole frame; a body gets its `content-length`. */
export function serialiseFrame(
  command: string,
  headers: Iterable<readonly [string, string]>,
  body: string | Uint8Array,
  version: StompVersion,
): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const length = bytes.length > 0 ? `content-length:${bytes.length}\n` : '';
  return Buffer.concat([Buffer.from(`${headerText(command, headers, version)}${length}\n`), bytes, Buffer.of(0)]);
}

/**
 * Finds frames in a stream of chunks, however they are cut. Each byte is looked at once, and what is kept of an
 * unfinished frame is bounded by the limits. Line ends between frames are heart-beats and give nothing.
 */
export class FrameParser {
  /** How escapes are read: the version that was agreed on, 1.0 before that. */
  version: StompVersion = '1.0';
  readonly #limits: FrameLimits;
  #part: 'command' | 'headers' | 'body' = 'command';
  #held: Buffer = empty;
  #heldBytes = 0;
  #frameBytes = 0;
  #command = '';
  #headers = new Map<string, string>();
  #headerCount = 0;
  #bodyBytes: number | null = null;
  #failure: FrameError | null = null;

  constructor(limits: FrameLimits = clientLimits) {
    this.#limits = limits;
  }

  /**
   * Calls `onFrame` for each frame that the chunk completes, in order.
   * @throws FrameError at the first byte that cannot belong to a frame; the parser gives nothing from then on.
   */
  push(chunk: string | Uint8Array, onFrame: (frame: Frame) => void): void {
    if (this.#failure) throw this.#failure;
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    try {
      let at = 0;
      while (at < bytes.length)
        at = this.#part === 'body' ? this.#takeBody(bytes, at, onFrame) : this.#takeLine(bytes, at);
    } catch (error) {
      if (error instanceof FrameError) this.#failure = error;
      throw error;
    }
  }

  #takeLine(bytes: Buffer, from: number): number {
    const found = bytes.indexOf(LF, from);
    const end = found < 0 ? bytes.length : found;
    this.#hold(bytes, from, end, this.#limits.lineBytes, 'A line of the frame');
    if (bytes.subarray(from, end).includes(0)) {
      throw new FrameError('The frame ends inside its command or headers: an empty line must follow them.');
    }
    if (found < 0) return end;
    this.#count(1);
    const line = this.#release();
    this.#endLine(line[line.length - 1] === CR ? line.subarray(0, -1) : line);
    return found + 1;
  }

  #endLine(line: Buffer): void {
    if (line.length === 0) {
      if (this.#part === 'headers') this.#endHeaders();
      else this.#frameBytes = 0;
    } else if (this.#part === 'headers') this.#addHeader(this.#decode(line));
    else {
      this.#command = this.#decode(line);
      this.#part = 'headers';
    }
  }

  #addHeader(line: string): void {
    if (++this.#headerCount > this.#limits.headers) {
      throw new FrameError(`The frame has more than ${this.#limits.headers} headers.`);
    }
    const colon = line.indexOf(':');
    if (colon < 1) throw new FrameError('A header line of the frame is not of the form name:value.');
    let [name, value] = [line.slice(0, colon), line.slice(colon + 1)];
    if (this.version === '1.0') [name, value] = [name.trim(), value.trim()];
    if (!isPlain(this.#command, this.version)) {
      [name, value] = [unescapeText(name, this.version), unescapeText(value, this.version)];
    }
    if (!this.#headers.has(name)) this.#headers.set(name, value);
  }

  #endHeaders(): void {
    const length = this.#headers.get('content-length')?.trim();
    if (length !== undefined) {
      if (!/^\d{1,9}$/.test(length)) throw new FrameError('The content-length of the frame is not a number of bytes.');
      this.#bodyBytes = Number(length);
      if (this.#frameBytes + this.#bodyBytes + 1 > this.#limits.frameBytes) throw this.#tooLarge();
    }
    this.#part = 'body';
  }

  #takeBody(bytes: Buffer, from: number, onFrame: (frame: Frame) => void): number {
    const left = this.#bodyBytes === null ? null : this.#bodyBytes - this.#heldBytes;
    const found = left === null ? bytes.indexOf(0, from) : from + left;
    const end = found < 0 ? bytes.length : Math.min(found, bytes.length);
    this.#hold(bytes, from, end, this.#limits.frameBytes, 'The frame');
    if (found < 0 || found >= bytes.length) return end;
    if (bytes[found] !== 0) throw new FrameError('The body of the frame is longer than its content-length.');
    this.#count(1);
    const frame: Frame = { command: this.#command, headers: this.#headers, body: this.#release() };
    this.#part = 'command';
    this.#headers = new Map();
    this.#headerCount = 0;
    this.#frameBytes = 0;
    this.#bodyBytes = null;
    onFrame(frame);
    return found + 1;
  }

  /** Copies, so that a small rest of a frame never keeps a large chunk in memory. */
  #hold(bytes: Buffer, from: number, end: number, limit: number, what: string): void {
    const size = this.#heldBytes + end - from;
    if (size > limit) throw new FrameError(`${what} is longer than ${limit} bytes.`);
    this.#count(end - from);
    if (size > this.#held.length) {
      const larger = Buffer.alloc(Math.max(256, size, this.#held.length * 2));
      this.#held.copy(larger, 0, 0, this.#heldBytes);
      this.#held = larger;
    }
    bytes.copy(this.#held, this.#heldBytes, from, end);
    this.#heldBytes = size;
  }

  #release(): Buffer {
    const bytes = this.#held.subarray(0, this.#heldBytes);
    this.#held = empty;
    this.#heldBytes = 0;
    return bytes;
  }

  #count(bytes: number): void {
    this.#frameBytes += bytes;
    if (this.#frameBytes > this.#limits.frameBytes) throw this.#tooLarge();
  }

  #tooLarge(): FrameError {
    return new FrameError(`The frame is longer than ${this.#limits.frameBytes} bytes.`);
  }

  #decode(bytes: Buffer): string {
    try {
      return utf8.decode(bytes);
    } catch {
      throw new FrameError('A line of the frame is not valid UTF-8.');
    }
  }
}
