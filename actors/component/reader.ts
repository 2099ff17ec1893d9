import type { JsonObject } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { type InstallationStatus, isToRun, statusOf } from './representation.ts';
import { type ComponentRow, components } from './tables.ts';

/** What is stored of a component. */
export interface StoredComponent {
  name: string;
  status: InstallationStatus;
  /** It is on: to run, where its configuration is whole. */
  isOn: boolean;
  enabled: boolean;
  /** With its secrets; null: as the configuration file says. */
  configuration: JsonObject | null;
}

export interface ComponentReader {
  /** Those that anybody has said something about through the API. */
  stored(): StoredComponent[];
}

export function componentReader(db: Connection): ComponentReader {
  const all = components.query(db, 'ORDER BY name');
  return { stored: () => all.all().map(storedComponent) };
}

function storedComponent({ name, value, enabled, configuration }: ComponentRow): StoredComponent {
  const state = JSON.parse(value) as unknown;
  return {
    name,
    status: statusOf(state),
    isOn: enabled === 1 && isToRun(state),
    enabled: enabled === 1,
    configuration: configuration === null ? null : (JSON.parse(configuration) as JsonObject),
  };
}
