import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** The session's view of its WebSocket. */
export interface Wire {
  /** @param taken called once the network has all of it */
  send(data: string | Buffer, taken?: () => void): void;
  /** Bytes that the network has not taken yet. */
  backlog(): number;
  /** Resolves when the backlog is gone or the socket is closed. */
  drained(): Promise<void>;
  close(code: number, reason: string): void;
}

/** `socket` is the one below the WebSocket: only it says when its backlog is gone. */
export function wireOf(webSocket: WebSocket, socket: Duplex): Wire {
  let draining: Promise<void> | null = null;
  return {
    send: (data, taken) => {
      if (webSocket.readyState !== webSocket.OPEN) return;
      webSocket.send(data, { binary: false }, taken && ((error) => error || taken()));
    },
    backlog: () => webSocket.bufferedAmount,
    drained: () => {
      if (!socket.writableNeedDrain || socket.destroyed) return Promise.resolve();
      draining ??= new Promise((resolve) => {
        const done = () => {
          socket.off('drain', done).off('close', done);
          draining = null;
          resolve();
        };
        socket.on('drain', done).on('close', done);
      });
      return draining;
    },
    close: (code, reason) => webSocket.close(code, reason),
  };
}
