/** What came back, and from where. */
export interface Page {
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

/** What a browser does with cookies and redirects, of several hosts, without showing anything. */
export class CookieClient {
  /** Host → name → value. */
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Follows redirects, and stops in front of the first address that `until` names. */
  async open(url: string, init: RequestInit = {}, until: (url: string) => boolean = () => false): Promise<Page> {
    let [at, options] = [url, init];
    for (let hops = 0; hops < 20; hops++) {
      const page = await this.once(at, options);
      const location = page.headers.get('location');
      if (page.status < 300 || page.status > 399 || location === null) return page;
      at = new URL(location, at).href;
      if (until(at)) return { ...page, url: at };
      options = {};
    }
    throw new Error(`${url} redirects for ever`);
  }

  /** One request, whose redirect is not followed. */
  async once(url: string, init: RequestInit = {}): Promise<Page> {
    const { host } = new URL(url);
    const headers = new Headers({ accept: 'text/html', ...(init.headers as Record<string, string>) });
    const cookies = this.cookiesOf(host);
    if (cookies !== '') headers.set('cookie', cookies);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) this.#keep(host, cookie);
    return { url, status: response.status, headers: response.headers, text: await response.text() };
  }

  cookiesOf(host: string): string {
    return [...(this.#cookies.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** @returns the value of a cookie */
  cookie(host: string, name: string): string | undefined {
    return this.#cookies.get(host)?.get(name);
  }

  #keep(host: string, text: string): void {
    const [pair = '', ...attributes] = text.split(';');
    const [name = '', ...value] = pair.split('=');
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    if (attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute)) || value.join('') === '') jar.delete(name);
    else jar.set(name, value.join('='));
  }
}

/**
 * Logs in at the forms of the provider, beginning at the hub.
 * @param until in front of which address to stop
 */
export async function logIn(
  client: CookieClient,
  start: string,
  account: string,
  until?: (url: string) => boolean,
): Promise<Page> {
  let page = await client.open(start, {}, until);
  for (let forms = 0; forms < 5; forms++) {
    const action = /<form[^>]*action="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined) return page;
    const url = new URL(action, page.url).href;
    page = await client.open(url, { method: 'POST', body: fieldsOf(page, account) }, until);
  }
  return page;
}

/** What a form of the provider is sent with: its hidden fields, and who logs in. */
function fieldsOf({ text }: Page, account: string): URLSearchParams {
  const hidden = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  const fields = new URLSearchParams([...hidden].map(([, name, value]) => [name!, value!]));
  if (text.includes('name="login"')) fields.set('login', account);
  if (text.includes('name="password"')) fields.set('password', 'any');
  return fields;
}
