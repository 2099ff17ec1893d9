import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface ComponentRow extends ActorRow {
  name: string;
  enabled: number;
  /** JSON of its configuration; null: as the configuration file says. A secret. */
  configuration: string | null;
  /** JSON of the same with masked secrets; null alike. */
  shown: string | null;
}

export const components = new Table<ComponentRow>('component', ['id'], ['configuration']);
