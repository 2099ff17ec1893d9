import { parseJson } from '../json.ts';
import type { Json, TemplateJson } from '../representation.ts';
import type { TemplateRow } from './tables.ts';

/** A stored template as the API shows it. */
export function templateJson({ id, name, source, content }: Readonly<TemplateRow>): TemplateJson {
  return { id, name, source, content: parseJson(content) as Json };
}
