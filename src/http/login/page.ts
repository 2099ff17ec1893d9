import type { IncomingMessage } from 'node:http';
import { Failure } from '#actors/errors.ts';

import { type Outgoing, refusal } from '../outgoing.ts';

/** A refusal as a page for people, where a browser asks. */
export async function readable({ headers }: IncomingMessage, work: () => Promise<Outgoing>): Promise<Outgoing> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || !headers.accept?.includes('text/html')) throw error;
    return refusal(error, pageHeaders, pageOf(error.message));
  }
}

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
};

const pageOf = (sentence: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Parley: no login</title>
<style>body { font: 1rem/1.5 system-ui; max-width: 32rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark }</style>
<h1>You are not logged in</h1>
<p>${escaped(sentence)}</p>
<p><a href="/login">Log in</a></p>
`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
