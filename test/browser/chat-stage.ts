import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { buildWidget } from '#web/chat-widget/build.ts';
import { startBrowser } from '../_support/browser.ts';
import { HubProcess } from '../_support/hub-process.ts';

/** What a page of the shop is: its policy, and what the widget is configured with. */
export interface ShopPage {
  /** Content-Security-Policy; none unless given. */
  policy?: string;
  config?: object;
  /** Styles of the page. */
  css?: string;
  /** The channel is named by an attribute, without a script of the page. */
  byAttribute?: boolean;
  /** What others have written on the page, before the widget's script. */
  html?: string;
}

/** A hub with a channel for visitors, a shop's site on another origin that embeds the widget, and a browser. */
export class ChatStage implements AsyncDisposable {
  readonly hub: HubProcess;
  readonly browser: Browser;
  readonly channel: string;
  page: ShopPage = {};
  readonly #site: Server;

  private constructor(hub: HubProcess, browser: Browser, channel: string) {
    this.hub = hub;
    this.browser = browser;
    this.channel = channel;
    this.#site = createServer(({ url }, response) => {
      const file = this.#files()[url ?? ''];
      response.writeHead(file ? 200 : 404, {
        'Content-Type': file?.[0] ?? 'text/plain',
        ...(this.page.policy !== undefined && { 'Content-Security-Policy': this.page.policy }),
      });
      response.end(file?.[1]);
    });
  }

  static async open(): Promise<ChatStage> {
    await buildWidget();
    const hub = await HubProcess.start();
    const { body } = await hub.post<{ id: string }>('/channels.chatplugin.connect', { name: 'shop' });
    const stage = new ChatStage(hub, await startBrowser(), body.id);
    await new Promise<void>((resolve) => stage.#site.listen(0, '127.0.0.1', resolve));
    return stage;
  }

  get shopUrl(): string {
    return `http://127.0.0.1:${(this.#site.address() as AddressInfo).port}/`;
  }

  /** A person with a browser of their own. */
  async visitor(options: Parameters<Browser['newContext']>[0] = {}): Promise<Visitor> {
    return new Visitor(this, await this.browser.newContext({ viewport: { width: 1000, height: 800 }, ...options }));
  }

  /** An API user writes into the conversation that a visitor began last. @returns the ids */
  async agentSays(...contents: object[]): Promise<string[]> {
    const conversation_id = await this.conversation();
    const sent = contents.map((message) =>
      this.hub.post<{ id: string }>('/messages.send', { conversation_id, message }),
    );
    return (await Promise.all(sent)).map(({ body }) => body.id);
  }

  async agentTypes(typing: boolean): Promise<void> {
    await this.hub.post('/conversations.typing', { conversation_id: await this.conversation(), typing });
  }

  async conversation(): Promise<string> {
    const { body } = await this.hub.post<{ data: { id: string }[] }>('/conversations.list', {});
    return body.data[0]!.id;
  }

  /** What the hub has of the newest conversation: from the visitor or not, and the text. */
  async kept(): Promise<string[]> {
    type Kept = { from_contact: boolean; content: { text: string } };
    const { body } = await this.hub.post<{ data: Kept[] }>('/messages.list', {
      conversation_id: await this.conversation(),
      page_size: 1_000,
    });
    return body.data.map(({ from_contact, content }) => `${from_contact ? 'visitor' : 'agent'}: ${content.text}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    this.#site.close();
    await this.hub[Symbol.asyncDispose]();
  }

  #files(): Record<string, [type: string, text: string]> {
    const source = `async src="${this.hub.url}/chatplugin/ui/s.js"`;
    const scripts = this.page.byAttribute
      ? `<script ${source} data-channel-id="${this.channel}"></script>`
      : `<script src="/embedding.js"></script><script ${source}></script>`;
    const embedding = { channelId: this.channel, host: this.hub.url, config: this.page.config ?? {} };
    return {
      '/': [
        'text/html',
        `<!doctype html><html lang="en"><title>Shop</title><meta name="viewport" content="width=device-width">
         <link rel="stylesheet" href="/page.css">${this.page.html ?? ''}${scripts}
         <main><h1>Lamps</h1><a href="#lamps">All lamps</a></main></html>`,
      ],
      '/embedding.js': ['text/javascript', `window.parley = ${JSON.stringify(embedding)};`],
      '/page.css': ['text/css', this.page.css ?? ''],
    };
  }
}

/** Somebody with a browser, in one tab or several. */
export class Visitor implements AsyncDisposable {
  readonly context: BrowserContext;
  /** What pages reported as errors, policy violations among them. */
  readonly errors: string[] = [];
  readonly #stage: ChatStage;

  constructor(stage: ChatStage, context: BrowserContext) {
    this.#stage = stage;
    this.context = context;
    context.setDefaultTimeout(20_000);
  }

  /** Opens the shop in a tab, with the chat closed. */
  async visit(url = this.#stage.shopUrl): Promise<Tab> {
    const page = await this.context.newPage();
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('console', (line) => {
      // A browser says so of every answer that is none, and of every hub that is gone.
      if (line.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(line.text())) {
        this.errors.push(line.text());
      }
    });
    await page.goto(url);
    const tab = new Tab(page);
    await tab.part('.launcher').waitFor();
    return tab;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}

/** A page with the widget. */
export class Tab {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Of the widget. */
  part(selector: string): Locator {
    return this.page.locator(`parley-chat ${selector}`);
  }

  async open(): Promise<this> {
    await this.part('.launcher').click();
    await this.part('.panel').waitFor();
    return this;
  }

  async write(text: string): Promise<void> {
    await this.part('textarea').fill(text);
    await this.part('textarea').press('Enter');
  }

  /** Waits until a message with this text is shown, and is no longer on its way. */
  async sees(text: string): Promise<void> {
    await this.part('.line[data-status="sent"]').filter({ hasText: text }).first().waitFor();
  }

  /** The texts that are shown. */
  async texts(): Promise<string[]> {
    return this.part('.line .bubble').allInnerTexts();
  }
}
