import { z } from 'zod';
import { defineOperation, ok } from '../operation.ts';
import { addressed, findComponent } from './component.ts';
import { componentName } from './fields.ts';

const mostAtOnce = 100;

export const deleteComponents = defineOperation({
  path: '/components.delete',
  summary: 'Remove the configuration of components, which switches them off.',
  auth: 'core',
  request: z.object({ components: z.array(componentName).max(mostAtOnce) }),
  example: { components: ['media-resolver'] },
  responses: { 200: z.object({ components: z.record(z.string(), z.literal(true)) }) },
  answers: { 200: { description: 'Names of no component are left out.' } },
  errors: [],
  async handle({ commands, services }, { components }) {
    const known = components.map((name) => findComponent(services, name)).filter((component) => component !== null);
    for (const component of known) {
      const { id, named } = addressed(component);
      await commands.send('component', id, 'component.delete', named);
    }
    return ok({ components: Object.fromEntries(known.map(({ entry }) => [entry.name, true as const])) });
  },
});
