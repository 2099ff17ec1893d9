import type { SourceJson } from '../representation.ts';
import type { SourceRow } from './tables.ts';

/** A stored source as the API shows it, without its token. */
export function sourceJson(row: Readonly<SourceRow>): SourceJson {
  return {
    source_id: row.source_id,
    ...(row.action_endpoint !== null && { action_endpoint: row.action_endpoint }),
    ...(row.name !== null && { name: row.name }),
    ...(row.image_url !== null && { image_url: row.image_url }),
  };
}
