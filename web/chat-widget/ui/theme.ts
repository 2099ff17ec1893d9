import type { WidgetConfig } from './config.ts';

/** The custom properties that the configuration sets on the widget's root; the style sheet has what it leaves out. */
export function propertiesOf({ colors, darkColors, size, position }: WidgetConfig): [string, string][] {
  return [
    ...named('', { ...size, ...position }, 'px'),
    ...named('light-', { ...colors }),
    ...named('dark-', { ...colors, ...darkColors }),
  ];
}

const named = (prefix: string, values: object, unit = ''): [string, string][] =>
  Object.entries(values).map(([name, value]) => [`--${prefix}${name}`, value + unit]);
