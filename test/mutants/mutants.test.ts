import { describe, expect, it } from 'vitest';
import { root, textOf } from './copy.ts';
import { misfitOf, mutated } from './mutant.ts';
import { mutants, ofTheWritePath } from './mutants.ts';

describe('the mutants', () => {
  it('fit the code', () => {
    const misfits = mutants.map((mutant) => misfitOf(textOf(root, mutant.file), mutant));
    expect(misfits.filter((misfit) => misfit !== null)).toEqual([]);
  });

  it('have names of their own', () => {
    const names = mutants.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([]);
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
  });

  it('name tests that exist', () => {
    const lost = mutants.filter(({ caughtBy: { file, title, suite } }) => {
      return textOf(root, file) === null || !textOf(root, suite ?? file)?.includes(title);
    });
    expect(lost.map(({ name, caughtBy: { file, title } }) => `${name}: “${title}” of ${file}`)).toEqual([]);
  });

  it('of the write path are shown to the simulation', () => {
    expect(ofTheWritePath.filter(({ simulation }) => simulation === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('are refused where their text is not found once', () => {
    const mutant = { ...mutants[0]!, name: 'lost', file: 'a.ts', from: 'x', to: 'y' };
    expect(() => mutated('nothing', mutant)).toThrow('lost: its text stands 0 times in a.ts, not once.');
    expect(() => mutated('x and x', mutant)).toThrow('2 times');
    expect(() => mutated(null, mutant)).toThrow('lost: there is no a.ts any more.');
    expect(mutated('one x', mutant)).toBe('one y');
  });
});
