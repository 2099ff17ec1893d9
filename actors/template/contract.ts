import type { Json, TemplateJson } from '../representation.ts';

/** What a template says. */
export interface TemplateFields {
  name: string;
  source: string;
  content: Json;
}

/** The commands of a template: type → body and result. */
export type TemplateCommands = {
  'template.create': { body: TemplateFields; result: { template: TemplateJson } };
  /** Absent = keep. @throws Failure `not_found` */
  'template.update': { body: Partial<TemplateFields>; result: { template: TemplateJson } };
  /** Its content is forgotten. @throws Failure `not_found` */
  'template.delete': { body: null; result: null };
};
