import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files take longest, the longest first: begun last, one would keep a core busy alone at the end. */
const long = ['test/simulation/', 'test/e2e/crash/', 'test/e2e/webhooks/', 'test/e2e/', 'test/browser/'];

const rank = ({ moduleId }: TestSpecification): number => {
  const found = long.findIndex((folder) => moduleId.includes(`/${folder}`));
  return found < 0 ? long.length : found;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({ test: { sequence: { sequencer: LongestFirst } } });
