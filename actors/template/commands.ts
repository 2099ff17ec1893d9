import { Failure } from '../errors.ts';
import type { TemplateJson } from '../representation.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import type { TemplateCommands, TemplateFields } from './contract.ts';
import { templateJson } from './representation.ts';
import type { TemplateRow } from './tables.ts';

type TemplateRuntime = Runtime<TemplateRow, null, null, null>;

export const templateHandlers: Handlers<TemplateRuntime, TemplateCommands> = {
  'template.create'(runtime, fields) {
    runtime.save({ created_at: runtime.now });
    return { template: saved(runtime, fields) };
  },

  'template.update'(runtime, fields) {
    mustBeThere(runtime);
    return { template: saved(runtime, fields) };
  },

  'template.delete'(runtime) {
    mustBeThere(runtime);
    runtime.save({ content: 'null', deleted: 1 });
    return null;
  },
};

/** What is not given stays. */
function saved(runtime: TemplateRuntime, { name, source, content }: Partial<TemplateFields>): TemplateJson {
  runtime.save({
    name: name ?? runtime.row.name,
    source: source ?? runtime.row.source,
    ...(content !== undefined && { content: JSON.stringify(content) }),
    deleted: 0,
  });
  return templateJson(runtime.row);
}

/** @throws Failure `not_found` for templates that were never created, or deleted */
function mustBeThere({ row, actor }: TemplateRuntime): void {
  if (row.deleted === 1) throw new Failure('not_found', `There is no template ${actor.id}.`);
}
