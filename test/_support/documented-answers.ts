import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '#src/http/documents/openapi.ts';
import { operations } from '#src/http/operations.ts';

const document = openApiDocument(operations, false) as {
  paths: Record<string, { post?: { responses: Record<string, { $ref?: string; content?: object }> } }>;
};
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'openapi');
const validators = new Map<string, ValidateFunction>();

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** Compiled when it is first needed: most tests ask few operations. */
function validatorOf(path: string, status: string): ValidateFunction {
  const place = `openapi#/paths/${escaped(path)}/post/responses/${status}/content/${escaped('application/json')}/schema`;
  const known = validators.get(place) ?? ajv.compile({ $ref: place });
  validators.set(place, known);
  return known;
}

const pathOf = new Map(operations.flatMap(({ path, aliases = [] }) => [path, ...aliases].map((each) => [each, path])));

/**
 * What is wrong with the answer of an operation, held against the document that clients are made from; null: nothing, or
 * it is the answer of none.
 * @param body the JSON value that came, null without one
 */
export function undocumentedIn(requested: string, status: number, body: unknown): string | null {
  const path = pathOf.get(requested);
  if (path === undefined) return null;
  const answer = document.paths[path]!.post!.responses[String(status)];
  if (answer === undefined) return `${path} answers ${status}, which is not documented`;
  if (answer.content === undefined) return body === null ? null : `${path} answers ${status} with a body`;
  const validate = validatorOf(path, String(status));
  return validate(body) ? null : `${path} answers ${status} with another body: ${ajv.errorsText(validate.errors)}`;
}

/** The same as an error. @throws Error when an answer is not as documented */
export function assertDocumented(path: string, status: number, body: unknown): void {
  const problem = undocumentedIn(path, status, body);
  if (problem !== null) throw new Error(problem);
}
