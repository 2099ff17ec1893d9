import { describe, expect, it } from 'vitest';
import type { StoredComponent } from '#actors/component/reader.ts';
import { catalogue, keysOf } from '#src/config/catalogue.ts';
import { type Config, Secret } from '#src/config/config.ts';
import { LiveConfig } from '#src/config/live.ts';
import { testConfig } from '../_support/config.ts';

/** A file with every component that a file can have. */
const file = (): Config => ({
  ...testConfig(),
  components: {
    sources: {
      pageplatform: {
        appId: 'a',
        appSecret: new Secret('s'),
        webhookSecret: new Secret('w'),
        apiBase: 'https://platform.example',
      },
      cloudmsg: {
        appId: 'a',
        appSecret: new Secret('s'),
        webhookSecret: new Secret('w'),
        apiBase: 'https://platform.example',
      },
      bizmaps: { saFile: new Secret('{}'), partnerKey: new Secret('k'), apiBase: 'https://platform.example' },
      telco: { accountSid: 'a', authToken: new Secret('t'), apiBase: 'https://platform.example' },
      chatplugin: {},
    },
  },
});

const stored = (name: string, more: Partial<StoredComponent> = {}): StoredComponent => ({
  ...{ name, status: 'installed', isOn: true, enabled: true, configuration: null },
  ...more,
});

/** What is stored may change under it. */
function start(config: Config, ...components: StoredComponent[]) {
  const known = { components };
  const live = new LiveConfig(config, () => known.components);
  const ofName = (name: string) => live.components.find(({ entry }) => entry.name === name)!;
  return { live, known, ofName };
}

describe('the configuration that counts', () => {
  it('is the file’s while nothing is stored', () => {
    const { live } = start(file());
    expect({ ...live.config }).toEqual(file());
    expect({ ...start(testConfig()).live.config }).toEqual(testConfig());
  });

  it('has a key for each value that a component has in the file', () => {
    const { live } = start(file());
    for (const { entry, values } of live.components) {
      expect([entry.name, Object.keys(keysOf(entry))]).toEqual([entry.name, Object.keys(values ?? {})]);
    }
    expect(catalogue.map(({ name }) => name)).toEqual(live.components.map(({ entry }) => entry.name));
  });

  it('is read again by whoever holds it', () => {
    const { live, known } = start(file());
    const { config } = live;
    known.components = [stored('integration-webhook', { isOn: false, enabled: false })];
    expect(config.integration.webhook.enabled).toBe(true);
    live.refresh();
    expect(config.integration.webhook).toEqual({ enabled: false, name: '' });
    known.components = [];
    live.refresh();
    expect(config.integration.webhook.enabled).toBe(true);
  });

  it('tells only of changes, and only who listens', () => {
    const { live, known } = start(file());
    let told = 0;
    const cancel = live.onChange(() => told++);
    live.refresh();
    known.components = [stored('media-resolver')];
    live.refresh();
    known.components = [stored('media-resolver')];
    live.refresh();
    expect(told).toBe(1);
    cancel();
    known.components = [];
    live.refresh();
    expect(told).toBe(1);
  });

  it('has secrets that do not show themselves', () => {
    const configuration = { accountSid: 'b', authToken: 'a-stored-token' };
    const { live } = start(testConfig(), stored('sources-telco', { configuration }));
    expect(live.config.components.sources.telco?.authToken.reveal()).toBe('a-stored-token');
    expect(JSON.stringify([live.config, live.components])).not.toContain('a-stored-token');
  });

  it('leaves out what this version would not take, and says why', () => {
    const configuration = { accountSid: 'b', colour: 'red' };
    const { live, ofName } = start(file(), stored('sources-telco', { configuration }), stored('sources-pigeon'));
    expect(live.config.components.sources.telco).toBeUndefined();
    expect(ofName('sources-telco')).toMatchObject({ isOn: false, enabled: true });
    const { problem } = ofName('sources-telco');
    expect(problem).toContain('components.sources.telco.colour is not known');
    expect(problem).toContain('components.sources.telco.authToken is missing');
    expect(problem).not.toContain('red');
  });

  it('has no configuration where it was deleted', () => {
    const { ofName } = start(file(), stored('sources-telco', { isOn: false, enabled: false, configuration: {} }));
    expect(ofName('sources-telco')).toMatchObject({ values: null, isOn: false });
  });
});
