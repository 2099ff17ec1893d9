import type { IncomingMessage } from 'node:http';
import { Failure, type FailureCode } from '#actors/errors.ts';
import { type Outgoing, refusal } from '../outgoing.ts';

/** A refusal as a page for people, where a browser asks. */
export async function readable({ headers }: IncomingMessage, work: () => Promise<Outgoing>): Promise<Outgoing> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || !headers.accept?.includes('text/html')) throw error;
    return refusal(error, pageHeaders, pageOf(error));
  }
}

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
};

const style = `
  :root {
    color-scheme: light dark;
    --ground: light-dark(#e9f0f5, #0b1722);
    --card: light-dark(#fff, #132534);
    --ink: light-dark(#12324a, #e8f1f8);
    --soft: light-dark(#4a6374, #a9c0d1);
    --accent: light-dark(#12324a, #9fd3ff);
    --on-accent: light-dark(#fff, #0b1722);
  }
  * { box-sizing: border-box; margin: 0 }
  body {
    min-height: 100vh; padding: 1rem; display: grid; place-items: center;
    background: var(--ground); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif;
  }
  main {
    width: min(100%, 27rem); padding: 2.5rem; border-radius: 1rem;
    background: var(--card); box-shadow: 0 1px 2px #0002, 0 1rem 3rem #0002;
  }
  header { display: flex; align-items: center; gap: .6rem; font-weight: 650; letter-spacing: .01em }
  svg { width: 1.9rem; fill: var(--accent) }
  h1 { margin: 1.75rem 0 .5rem; font-size: 1.5rem; line-height: 1.25 }
  main > p { color: var(--soft); overflow-wrap: anywhere }
  a {
    display: block; margin-top: 1.75rem; padding: .7rem 1rem; border-radius: .6rem; text-align: center;
    background: var(--accent); color: var(--on-accent); font-weight: 600; text-decoration: none;
  }
  a:hover { filter: brightness(1.1) }
  a:focus-visible { outline: 3px solid light-dark(#6fb6ee, #fff); outline-offset: 3px }
`;

/** Two people talking. */
const logo =
  '<svg viewBox="0 0 32 24" aria-hidden="true">' +
  '<path d="M4 0h14a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4H9l-5 4v-4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4Z"/>' +
  '<path opacity=".5" d="M24.5 6H28a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4v4l-5-4h-8a4 4 0 0 1-3.5-2.5h7.2a5.8 5.8 0 0 0 5.8-5.8Z"/>' +
  '</svg>';

/** Who was refused tries again with another account: the provider would let the same one in at once. */
function linkAfter(code: FailureCode): string {
  if (code === 'feature_disabled') return '';
  const [path, words] =
    code === 'forbidden' ? ['/login?prompt=select_account', 'Log in with another account'] : ['/login', 'Log in'];
  return `<a href="${path}">${words}</a>`;
}

const pageOf = ({ code, message }: Failure): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Parley: not logged in</title>
<style>${style}</style>
<main>
<header>${logo}Parley</header>
<h1>You are not logged in</h1>
<p>${escaped(message)}</p>
${linkAfter(code)}
</main>
`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
