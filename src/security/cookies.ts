/** The cookie of a session (docs/api.md, "Authentication"). */
export const sessionCookie = 'parley_auth_token';

export interface CookieOptions {
  path: string;
  /** Seconds; 0: the browser forgets it. */
  maxAge: number;
  /** The hub is reached by https. */
  secure: boolean;
}

/** A cookie as it is set: no script reads it, and no page of another site sends it along but by a link. */
export const setCookie = (name: string, value: string, { path, maxAge, secure }: CookieOptions): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

/** The value of a cookie of a request; null without it. Of several with one name, the first. */
export function cookieIn(header: string | undefined, name: string): string | null {
  for (const part of header?.split(';') ?? []) {
    const [key = '', ...value] = part.split('=');
    if (key.trim() === name) return value.join('=').trim();
  }
  return null;
}
