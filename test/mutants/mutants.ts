import { access } from './list/auth.ts';
import { callers } from './list/callers.ts';
import { components } from './list/components.ts';
import { contacts } from './list/contacts.ts';
import { cursors } from './list/cursors.ts';
import { dispatch } from './list/dispatch.ts';
import { erasures } from './list/erasing.ts';
import { faults } from './list/faults.ts';
import { log } from './list/log.ts';
import { realtime } from './list/realtime.ts';
import { retention } from './list/retention.ts';
import { search } from './list/search.ts';
import { visitors } from './list/visitors.ts';
import { webhooks } from './list/webhooks.ts';
import { widget } from './list/widget.ts';
import { writePath } from './list/write-path.ts';
import type { Mutant } from './mutant.ts';

/** Those that the simulation is shown as well. */
export const ofTheWritePath: readonly Mutant[] = [...writePath, ...log];

/** Every defect that a test must notice. */
export const mutants: readonly Mutant[] = [
  ...ofTheWritePath,
  ...dispatch,
  ...webhooks,
  ...realtime,
  ...visitors,
  ...widget,
  ...retention,
  ...faults,
  ...cursors,
  ...components,
  ...access,
  ...callers,
  ...search,
  ...contacts,
  ...erasures,
];
