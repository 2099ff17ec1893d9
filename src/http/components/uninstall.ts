import { z } from 'zod';
import { defineOperation, empty } from '../operation.ts';
import { addressed, existingComponent } from './component.ts';
import { componentName } from './fields.ts';

export const uninstallComponent = defineOperation({
  path: '/components.uninstall',
  summary: 'Switch a component off and uninstall it. Its configuration stays.',
  auth: 'core',
  request: z.object({ name: componentName }),
  example: { name: 'media-resolver' },
  responses: { 202: null },
  answers: { 202: { description: 'It is pending until what it had begun has ended; component.updated says so.' } },
  errors: ['not_found'],
  async handle({ commands, services }, { name }) {
    const { id, named } = addressed(existingComponent(services, name));
    await commands.send('component', id, 'component.uninstall', named);
    return empty(202);
  },
});
