import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutants, ofTheWritePath } from './mutants.ts';
import { root } from './copy.ts';
import { mutated } from './mutant.ts';

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('the mutants', () => {
  it('fit the code', () => {
    for (const mutant of mutants)
      expect(mutated(textOf(mutant.file), mutant), mutant.name).not.toBe(textOf(mutant.file));
  });

  it('have names of their own', () => {
    const names = mutants.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([]);
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
  });

  it('name tests that exist', () => {
    const lost = mutants.filter(({ caughtBy: { file, title, suite } }) => !textOf(suite ?? file).includes(title));
    expect(lost.map(({ name, caughtBy }) => `${name}: ${caughtBy.title}`)).toEqual([]);
  });

  it('of the write path are shown to the simulation', () => {
    expect(ofTheWritePath.filter(({ simulation }) => simulation === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('are refused where their text is not found once', () => {
    const mutant = { ...mutants[0]!, name: 'lost', file: 'a.ts', from: 'x', to: 'y' };
    expect(() => mutated('nothing', mutant)).toThrow('lost: its text stands 0 times in a.ts, not once.');
    expect(() => mutated('x and x', mutant)).toThrow('2 times');
    expect(mutated('one x', mutant)).toBe('one y');
  });
});
