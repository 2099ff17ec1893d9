import { z } from 'zod';
import { defineOperation, empty } from '../operation.ts';
import { addressed, existingComponent } from './component.ts';
import { componentName } from './fields.ts';

export const installComponent = defineOperation({
  path: '/components.install',
  summary: 'Install a component and switch it on; one that is installed stays as it is.',
  auth: 'core',
  request: z.object({ name: componentName }),
  example: { name: 'integration-webhook' },
  responses: { 202: null },
  answers: { 202: { description: 'It is pending until it runs; component.updated says so.' } },
  errors: ['not_found'],
  async handle({ commands, services }, { name }) {
    const { id, named } = addressed(existingComponent(services, name));
    await commands.send('component', id, 'component.install', named);
    return empty(202);
  },
});
