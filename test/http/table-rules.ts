import { failureCodes } from '#actors/errors.ts';
import { failuresOf } from '#src/http/documents/answers.ts';
import type { Operation } from '#src/http/operation.ts';

/** Says what in a table of operations is against the rule, one sentence each. */
export type TableRule = (operations: readonly Operation[]) => string[];

const perOperation =
  (problemOf: (operation: Operation) => string | null): TableRule =>
  (operations) =>
    operations.map(problemOf).filter((problem) => problem !== null);

/** What may be called by everyone, whoever they are. An operation that is not here asks who calls. */
const openToEveryone: readonly string[] = ['/chatplugin.authenticate'];

export const onlyTheseAreOpen = perOperation(({ path, auth }) =>
  auth === 'public' && !openToEveryone.includes(path) ? `${path} lets everyone in` : null,
);

export const pathsAreUnique: TableRule = (operations) => {
  const paths = operations.flatMap(({ path, aliases = [] }) => [path, ...aliases]);
  return paths.filter((path, n) => paths.indexOf(path) !== n).map((path) => `${path} is there twice`);
};

export const examplesFit = perOperation(({ path, request, example }) =>
  request.safeParse(example).success ? null : `${path} refuses its own example`,
);

export const failuresAreKnown = perOperation((operation) => {
  const unknown = failuresOf(operation).filter((code) => !failureCodes.includes(code));
  return unknown.length > 0 ? `${operation.path} declares ${unknown.join(', ')}` : null;
});

export const featuresCanBeOff = perOperation(({ path, feature, errors }) =>
  errors.includes('feature_disabled') === (feature !== undefined)
    ? null
    : `${path} declares feature_disabled and a feature, or neither`,
);

/**
 * Verbs of operations that only look: their answers may be large, and a repeated one is to be of now. What makes tokens
 * is for who asks now, whoever has asked with the same key.
 */
const looking = /\.(list|info|get|config|deliveries|explore|recent-messages|raw|authenticate|resumeToken)$/;

export const looksAreReads = perOperation(({ path, isRead = false }) =>
  looking.test(path) === isRead ? null : `${path} ${isRead ? 'says that it reads' : 'does not say that it reads'}`,
);

export const successIsDeclared = perOperation(({ path, responses }) => {
  const statuses = Object.keys(responses).map(Number);
  return statuses.length > 0 && statuses.every((status) => status >= 200 && status < 300)
    ? null
    : `${path} declares answers other than 2xx, or none`;
});
