import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { Failure, type FailureCode } from '#actors/errors.ts';
import { failuresOf } from '#src/http/documents/answers.ts';
import { type Answer, bodyText, type Operation } from '#src/http/operation.ts';

/** An operation did what it does not declare. */
export class BrokenDeclaration extends Error {
  override readonly name = 'BrokenDeclaration';
}

/**
 * What is wrong with a 2xx answer, held strictly against what the operation declares: a status it does not name, a
 * field that is missing, of another type, or that its schema does not know.
 * @param body the JSON value that goes out, undefined without one
 */
export function answerProblem({ path, responses }: Operation, status: number, body: unknown): string | null {
  const schema = responses[status];
  if (schema === undefined) return `${path} answers ${status}, which it does not declare`;
  if (schema === null) return body === undefined ? null : `${path} answers ${status} with a body, and declares none`;
  const problem = valueProblem(schema, body);
  return problem && `${path} answers ${status} with a body that is not the declared one: ${problem}`;
}

/** What is wrong with the headers of a 2xx answer: one that the operation does not declare. */
function headerProblem({ path, answers }: Operation, { status, headers = {} }: Answer): string | null {
  const declared: readonly string[] = answers?.[status]?.headers ?? [];
  const foreign = Object.keys(headers).filter((name) => !declared.includes(name));
  return foreign.length === 0 ? null : `${path} answers ${status} with ${foreign.join()}, which it does not declare`;
}

/** What is wrong with a failure of an operation: a code that neither it nor every operation declares. */
export function failureProblem(operation: Operation, code: FailureCode): string | null {
  return failuresOf(operation).includes(code)
    ? null
    : `${operation.path} fails with ${code}, which it does not declare`;
}

/** The operation, with its handler held to the declaration. @throws BrokenDeclaration from the handler */
export function held(operation: Operation): Operation {
  const { handle } = operation;
  return {
    ...operation,
    async handle(call, body) {
      const answer = await failuresHeld(operation, () => handle.call(operation, call, body));
      const sent = JSON.parse(bodyText(answer) ?? 'null') ?? undefined;
      const problem = answerProblem(operation, answer.status, sent) ?? headerProblem(operation, answer);
      if (problem !== null) throw new BrokenDeclaration(problem);
      return answer;
    },
  };
}

async function failuresHeld<T>(operation: Operation, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = error instanceof Failure ? failureProblem(operation, error.code) : null;
    throw problem === null ? error : new BrokenDeclaration(problem);
  }
}

/** Zod leaves out what an object schema does not know: strictly, nothing may be left out or changed. */
function valueProblem(schema: z.ZodType, value: unknown): string | null {
  const { success, data, error } = schema.safeParse(value);
  if (!success) return error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ');
  return isDeepStrictEqual(data, value) ? null : `${firstDifference(value, data)} is not in its schema`;
}

/** The dotted path of the first thing that `parsed` lacks or has otherwise. */
function firstDifference(value: unknown, parsed: unknown, path = 'body'): string {
  if (typeof value !== 'object' || typeof parsed !== 'object' || value === null || parsed === null) return path;
  const fields = Object.entries(value);
  const different = fields.find(([key, inner]) => !isDeepStrictEqual(inner, (parsed as Record<string, unknown>)[key]));
  if (different === undefined) return path;
  const [key, inner] = different;
  return firstDifference(inner, (parsed as Record<string, unknown>)[key], `${path}.${key}`);
}
