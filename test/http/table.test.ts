import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { FailureCode } from '#actors/errors.ts';
import { defineOperation, empty, type Operation } from '#src/http/operation.ts';
import { operations } from '#src/http/operations.ts';
import * as rules from './table-rules.ts';

const sound = defineOperation({
  path: '/things.count',
  summary: 'Count.',
  auth: 'core',
  request: z.object({ kind: z.string() }),
  example: { kind: 'a' },
  responses: { 204: null },
  errors: [],
  handle: () => empty(204),
});
const but = (changes: Partial<Operation>): Operation => ({ ...sound, ...changes });

const cases: [title: string, rule: rules.TableRule, offenders: Operation[]][] = [
  ['opens no operation to everyone but a few', rules.onlyTheseAreOpen, [but({ auth: 'public' })]],
  ['has each path once', rules.pathsAreUnique, [sound, but({ path: '/things.sum', aliases: ['/things.count'] })]],
  ['accepts its own examples', rules.examplesFit, [but({ example: { kind: 7 } })]],
  ['fails from the closed list', rules.failuresAreKnown, [but({ errors: ['made_up' as FailureCode] })]],
  ['says of a feature that it can be off', rules.featuresCanBeOff, [but({ feature: 'webhook' })]],
  ['says of reads that they are', rules.looksAreReads, [but({ path: '/things.list' })]],
  ['declares 2xx answers', rules.successIsDeclared, [but({ responses: { 404: null } })]],
];

describe('the table of operations', () => {
  it.each(cases)('%s', (_, rule) => {
    expect(rule(operations)).toEqual([]);
  });

  it.each(cases)('would notice: %s', (_, rule, offenders) => {
    expect(rule(offenders)).toHaveLength(1);
    expect(rule([sound])).toEqual([]);
  });
});
