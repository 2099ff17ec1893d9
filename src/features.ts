import type { Config } from './config/config.ts';

/** Feature → the key of the configuration that switches it on. */
export const featureKeys = {
  'source-api': 'integration.source-api.enabled',
  webhook: 'integration.webhook.enabled',
  contacts: 'integration.contacts.enabled',
} as const;

export type Feature = keyof typeof featureKeys;

/** Which features are on. Asked anew each time: what is on may change while the hub runs. */
export interface Features {
  isOn(feature: Feature): boolean;
}

/** As the configuration says. */
export const configuredFeatures = (config: Pick<Config, 'integration'>): Features => ({
  isOn: (feature) => config.integration[feature].enabled,
});
