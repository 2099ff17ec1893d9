import type { IncomingHttpHeaders } from 'node:http';

/** A call of the hub to the API of a platform. */
export interface ApiCall {
  method: string;
  /** Without its query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface ApiAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

export type Fields = Record<string, unknown>;

export const jsonAnswer = (status: number, value: unknown, headers: Record<string, string> = {}): ApiAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json; charset=UTF-8', ...headers },
  body: JSON.stringify(value),
});

/** A value as an object; an empty one when it is none. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** The JSON object of a body; an empty one when it holds anything else. */
export function jsonIn({ body }: Pick<ApiCall, 'body'>): Fields {
  try {
    return fieldsOf(JSON.parse(body.toString()));
  } catch {
    return {};
  }
}

export const formIn = ({ body }: Pick<ApiCall, 'body'>): URLSearchParams => new URLSearchParams(body.toString());

export const bearerIn = ({ headers }: Pick<ApiCall, 'headers'>): string | null =>
  /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;

/** Text of a field; empty when it is anything else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
