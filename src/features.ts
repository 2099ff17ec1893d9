import { catalogue } from './config/catalogue.ts';
import type { Config } from './config/config.ts';

/** Integrations, and sources of the hub's own. */
export type Feature = keyof Config['integration'] | keyof Config['components']['sources'];

/** Which features are on. Asked anew each time: what is on may change while the hub runs. */
export interface Features {
  isOn(feature: Feature): boolean;
}

/** As the configuration says. */
export const configuredFeatures = (config: Pick<Config, 'integration' | 'components'>): Features => ({
  isOn: (feature) =>
    isIntegration(config, feature)
      ? config.integration[feature].enabled
      : config.components.sources[feature] !== undefined,
});

const isIntegration = (
  { integration }: Pick<Config, 'integration'>,
  feature: Feature,
): feature is keyof Config['integration'] => Object.hasOwn(integration, feature);

/** The component that a feature is, and what of the configuration file switches it on. */
export function switchOf(feature: Feature): { component: string; key: string } {
  const { name, path } = catalogue.find((entry) => entry.path?.at(-1) === feature)!;
  const key = path!.join('.');
  return { component: name, key: path![0] === 'integration' ? `${key}.enabled` : key };
}
