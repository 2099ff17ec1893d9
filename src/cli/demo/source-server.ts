import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the hub asks a custom source to send. */
export interface SendAction {
  type: 'message.send';
  payload: {
    message: { id: string; source_recipient_id: string; content: unknown; sent_at: string };
    conversation?: { id: string; source_conversation_id: string };
  };
}

/** What the source did with a call: shown by the demo. */
export type SourceReport = { report: 'sent'; id: string; content: unknown } | { report: 'refused'; reason: string };

interface Answer {
  status: number;
  body: object;
}

/** The port the source listens on (loopback), and how to stop it. */
export interface SourceServer {
  port: number;
  close(): Promise<void>;
}

const maxBodyBytes = 1_048_576;

/**
 * Whether `signature` is the lower-case hex HMAC-SHA256 of the exact bytes, keyed with the source's token.
 * Compares in constant time.
 */
export function isSignedBy(token: string, body: Uint8Array, signature: string | undefined): boolean {
  const expected = Buffer.from(createHmac('sha256', token).update(body).digest('hex'));
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const refusal = (status: number, error: string): Answer => ({ status, body: { error } });

function perform(body: Buffer): Answer & { action?: SendAction } {
  let action: Partial<SendAction> | null;
  try {
    action = JSON.parse(body.toString('utf8')) as Partial<SendAction> | null;
  } catch {
    return refusal(400, 'the body is not JSON');
  }
  const message = action?.payload?.message;
  if (action?.type !== 'message.send' || typeof message?.id !== 'string') {
    return refusal(400, 'this source can only do message.send');
  }
  if (!action.payload?.conversation) return refusal(422, 'this source does not write first');
  return {
    status: 200,
    body: { source_message_id: `demo-${message.id}`, metadata: { carrier: 'demo' } },
    action: action as SendAction,
  };
}

async function answerCall(
  request: IncomingMessage,
  token: string | undefined,
): Promise<Answer & { action?: SendAction }> {
  const body = await bodyOf(request);
  if (!body) return refusal(413, 'the body is too large');
  // A status above 500 makes the hub try again, which is right as long as the token is on its way.
  if (token === undefined) return refusal(503, 'the source is starting');
  const signature = request.headers['x-service-content-signature'];
  // The bytes are checked before anything reads them.
  if (!isSignedBy(token, body, typeof signature === 'string' ? signature : undefined)) {
    return refusal(401, 'the signature is missing or wrong');
  }
  return perform(body);
}

/**
 * Starts the action endpoint of a custom source on a free loopback port.
 * @param token gives the source's token once it is known; calls before that are answered with 503.
 * @param report is told about every call.
 */
export async function startSourceServer(
  token: () => string | undefined,
  report: (report: SourceReport) => void,
): Promise<SourceServer> {
  const server = createServer((request, response) => {
    answerCall(request, token()).then(
      ({ status, body, action }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        if (action) report({ report: 'sent', id: action.payload.message.id, content: action.payload.message.content });
        else report({ report: 'refused', reason: (body as { error: string }).error });
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
