import type { Named } from '#actors/component/contract.ts';
import { Failure } from '#actors/errors.ts';
import { componentActorId } from '#actors/ids.ts';
import type { Component } from '#src/config/components.ts';
import type { Services } from '#src/services.ts';

/** Who a command for a component goes to, and what every one says of it. */
export const addressed = ({ entry, inFile }: Component): { id: string; named: Named } => ({
  id: componentActorId(entry.name),
  named: { name: entry.name, inFile },
});

/** A component by its name; null: the catalogue has none. */
export const findComponent = ({ components }: Pick<Services, 'components'>, name: string): Component | null =>
  components().find(({ entry }) => entry.name === name) ?? null;

/** @throws Failure `not_found` */
export function existingComponent(services: Pick<Services, 'components'>, name: string): Component {
  const component = findComponent(services, name);
  if (component === null) throw new Failure('not_found', `There is no component ${name}. See components.list.`);
  return component;
}
