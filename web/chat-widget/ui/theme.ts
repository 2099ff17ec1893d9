import type { Colors, WidgetConfig } from './config.ts';

/** The custom properties that the configuration sets on the widget's root; the style sheet has what it leaves out. */
export function propertiesOf({ colors = {}, darkColors = {}, size, position }: WidgetConfig): [string, string][] {
  const names = Object.keys({ ...colors, ...darkColors }) as (keyof Colors)[];
  return [
    ...names.map((name): [string, string] => {
      const [light, dark] = [colors[name] ?? darkColors[name], darkColors[name] ?? colors[name]];
      return [`--${name}`, `light-dark(${light}, ${dark})`];
    }),
    ...Object.entries({ ...size, ...position }).map(([name, value]): [string, string] => [`--${name}`, `${value}px`]),
  ];
}
