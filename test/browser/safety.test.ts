import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../_support/browser.ts';
import { ChatStage, type Tab } from './chat-stage.ts';
import { payloads } from './payloads.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe.skipIf(!hasBrowser)('the widget on a page', { timeout: 120_000 }, () => {
  let stage: ChatStage;
  beforeAll(async () => {
    stage = await ChatStage.open();
  }, 60_000);
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
  });

  /** A tab in which the visitor has written. */
  async function begun(visitor: Awaited<ReturnType<ChatStage['visitor']>>): Promise<Tab> {
    const tab = await (await visitor.visit()).open();
    await tab.write('Hello');
    await tab.sees('Hello');
    return tab;
  }

  it('runs no script of a message', async () => {
    stage.page = {};
    await using visitor = await stage.visitor();
    await visitor.context.addInitScript('window.ran = () => { window.hasRun = (window.hasRun ?? 0) + 1; };');
    const tab = await begun(visitor);
    const dialogs: string[] = [];
    tab.page.on('dialog', (dialog) => dialogs.push(dialog.message()));
    const contents = payloads();
    expect(contents.length).toBeGreaterThanOrEqual(200);
    await stage.agentSays(...contents);
    await tab.write('<img src=x onerror=ran()>');
    await stage.agentSays({ text: 'The end' });
    await tab.sees('The end');
    const found = await tab.page.evaluate(() => {
      const root = document.querySelector('parley-chat')!.shadowRoot!;
      const parts = [...root.querySelectorAll('*')];
      const schemes = (selector: string, name: 'href' | 'src') =>
        [...root.querySelectorAll<HTMLAnchorElement & HTMLImageElement>(selector)].map(
          (part) => new URL(part[name]).protocol,
        );
      return {
        lines: root.querySelectorAll('.line').length,
        active: parts
          .map(({ localName }) => localName)
          .filter((name) => /script|iframe|object|embed|style|link|meta|base/.test(name)),
        handlers: parts.flatMap((part) => part.getAttributeNames()).filter((name) => name.startsWith('on')),
        links: [...new Set(schemes('a', 'href'))].sort(),
        media: schemes('img, video, audio', 'src').filter((scheme) => scheme !== 'http:'),
      };
    });
    expect(found).toEqual({
      lines: contents.length + 3,
      active: [],
      handlers: [],
      links: ['http:', 'tel:'],
      media: [],
    });
    expect(await tab.page.evaluate('[window.hasRun, location.href]')).toEqual([undefined, stage.shopUrl]);
    expect(dialogs).toEqual([]);
  });

  it('takes no element of the page for its embedding', async () => {
    stage.page = {
      byAttribute: true,
      html: '<a id="parley"></a><a id="parley" name="host" href="http://127.0.0.1:9/"></a>',
    };
    await using visitor = await stage.visitor();
    const tab = await visitor.visit();
    await (await tab.open()).write('Hello');
    await tab.sees('Hello');
    expect(await stage.kept()).toEqual(['visitor: Hello']);
  });

  it.each([
    ['its sockets', true],
    ['no sockets', false],
  ])('works where only site and hub are let in, and %s', async (_, letsSockets) => {
    const hub = `${stage.hub.url}${letsSockets ? stage.hub.url.replace('http', ' ws') : ''}`;
    stage.page = { policy: `default-src 'self' ${hub}`, config: { colors: { accent: '#0b6e4f' } } };
    await using visitor = await stage.visitor();
    const tab = await begun(visitor);
    await stage.agentSays({ text: 'Under a policy' });
    await tab.sees('Under a policy');
    const launcher = tab.part('.launcher');
    expect(await launcher.evaluate((part) => getComputedStyle(part).backgroundColor)).toBe('rgb(11, 110, 79)');
    expect(visitor.errors.filter((error) => letsSockets || !error.includes('/ws.chatplugin'))).toEqual([]);
  });

  it('needs one tag, and no script of the page', async () => {
    stage.page = { byAttribute: true };
    await using visitor = await stage.visitor();
    await begun(visitor);
    expect(await stage.kept()).toEqual(['visitor: Hello']);
  });

  it('keeps its styles and those of the page apart', async () => {
    stage.page = {
      css: `* { color: red !important; display: block !important; font-size: 40px !important } html { font-size: 40px }
            parley-chat { display: none !important; opacity: 0 }`,
    };
    await using visitor = await stage.visitor();
    const tab = await begun(visitor);
    const styles = () =>
      tab.page.evaluate(() => {
        const style = (element: Element) => getComputedStyle(element);
        const root = document.querySelector('parley-chat')!.shadowRoot!;
        const bubble = style(root.querySelector('.own .bubble')!);
        return [
          bubble.fontSize,
          bubble.color,
          style(root.querySelector('.launcher')!).display,
          style(document.querySelector('a')!).color,
        ];
      });
    expect(await styles()).toEqual([
      '15px',
      expect.stringMatching(/oklch\(1 |rgb\(255, 255, 255\)/),
      'grid',
      'rgb(255, 0, 0)',
    ]);
    expect(await tab.part('.panel').isVisible()).toBe(true);
  });

  it.each(['light', 'dark'] as const)('has nothing that axe finds (%s)', async (colorScheme) => {
    stage.page = {};
    await using visitor = await stage.visitor({ colorScheme, reducedMotion: 'reduce' });
    const tab = await visitor.visit();
    expect(await problems(tab)).toEqual([]);
    await tab.open();
    expect(await problems(tab)).toEqual([]);
    await tab.write('Hello');
    await tab.sees('Hello');
    for (const content of kinds) await stage.agentSays(content);
    await tab.part('.chips').waitFor();
    await stage.agentTypes(true);
    await tab.part('.typing').waitFor();
    expect(await problems(tab)).toEqual([]);
    await tab.part('[aria-label="End chat"]').click();
    expect(await problems(tab)).toEqual([]);
    await tab.part('.danger').click();
    expect(await problems(tab)).toEqual([]);
  });

  it('is used with the keyboard alone', async () => {
    stage.page = {};
    await using visitor = await stage.visitor();
    const { page } = await visitor.visit();
    const focused = () =>
      page.evaluate(() => {
        const part = document.activeElement?.shadowRoot?.activeElement;
        return part?.getAttribute('aria-label') ?? part?.localName ?? document.activeElement?.localName;
      });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Open chat');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Write a message…');
    await page.keyboard.type('First');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('second');
    await page.keyboard.press('Enter');
    const own = page.locator('parley-chat .own .line[data-status=sent] .bubble');
    await own.waitFor();
    expect(await own.textContent()).toBe('First\nsecond');
    const round: unknown[] = [];
    for (let n = 0; n < 4; n++) {
      await page.keyboard.press('Tab');
      round.push(await focused());
    }
    expect(round).toEqual(['End chat', 'Close chat', 'Messages', 'Write a message…']);
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe('Messages');
    await page.keyboard.press('Escape');
    await page.locator('parley-chat .panel').waitFor({ state: 'detached' });
    expect(await focused()).toBe('Open chat');
  });

  it('fills a phone', async () => {
    stage.page = {};
    await using visitor = await stage.visitor({ viewport: { width: 390, height: 780 }, reducedMotion: 'reduce' });
    const tab = await (await visitor.visit()).open();
    expect(await tab.part('.panel').boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 780 });
    expect(await tab.part('.launcher').isVisible()).toBe(false);
  });

  it('chats where the site may store nothing', async () => {
    stage.page = {};
    await using visitor = await stage.visitor();
    await visitor.context.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('denied', 'SecurityError');
        },
      });
    });
    const tab = await begun(visitor);
    await stage.agentSays({ text: 'Without a storage' });
    await tab.sees('Without a storage');
    expect(visitor.errors).toEqual([]);
  });

  it('is tried on the page that the hub has for it', async () => {
    await using visitor = await stage.visitor();
    const tab = await visitor.visit(`${stage.hub.url}/chatplugin/ui/example?channel_id=${stage.channel}`);
    await tab.open();
    await tab.write('Just trying');
    await tab.sees('Just trying');
    expect(await tab.page.locator('code').textContent()).toContain(stage.channel);
    expect(visitor.errors).toEqual([]);
  });
});

/** One message of each kind. */
const kinds = [
  { text: '# Hours\n- **Monday**, see [the page](https://example.com)\n\n> quote\n\n`code`\n```\nmore code\n```' },
  {
    richCard: {
      standaloneCard: {
        cardContent: { title: 'Card', description: 'Words', suggestions: [{ reply: { text: 'Yes' } }] },
      },
    },
  },
  {
    richCard: {
      carouselCard: {
        cardContents: [1, 2].map((n) => ({
          title: `Card ${n}`,
          suggestions: [{ action: { text: 'Go', openUrlAction: { url: 'https://example.com' } } }],
        })),
      },
    },
  },
  { attachment: { type: 'file', payload: { url: 'https://example.com/a.pdf', name: 'A file' } } },
  { something: 'unknown' },
  {
    text: 'Which?',
    quick_replies: [
      { content_type: 'text', title: 'One' },
      { content_type: 'text', title: 'Two' },
    ],
  },
];

/** What axe finds in the widget, as sentences. */
async function problems({ page }: Tab): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    interface Violation {
      id: string;
      nodes: { html: string; failureSummary?: string }[];
    }
    const axe = (window as unknown as { axe: { run(root: unknown): Promise<{ violations: Violation[] }> } }).axe;
    const { violations } = await axe.run(document.querySelector('parley-chat'));
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}
