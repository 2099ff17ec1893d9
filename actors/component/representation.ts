import type { ComponentJson, JsonObject } from '../representation.ts';
import type { ComponentRow } from './tables.ts';

/** How far a component is installed. */
export type InstallationStatus = ComponentJson['installation_status'];

/** What a value of the machine is called outside. */
export const statusOf = (value: unknown): InstallationStatus =>
  typeof value === 'object' ? 'pending' : (value as InstallationStatus);

/** Whether a component with this value of the machine is to run: from the moment it is installed to that of its removal. */
export const isToRun = (value: unknown): boolean =>
  value === 'installed' || (value as { pending?: string }).pending === 'installing';

/** A stored component as events show it. Its configuration is absent where it is the file's. */
export function componentJson({ name, value, enabled, shown }: Readonly<ComponentRow>): ComponentJson {
  return {
    name,
    installation_status: statusOf(JSON.parse(value)),
    enabled: enabled === 1,
    ...(shown !== null && { configuration: JSON.parse(shown) as JsonObject }),
  };
}
