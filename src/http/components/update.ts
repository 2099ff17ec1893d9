import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import type { CommandSender } from '#actors/commands.ts';
import type { Services } from '#src/services.ts';
import { defineOperation, ok } from '../operation.ts';
import { addressed, findComponent } from './component.ts';
import { componentChange, configurationOf } from './fields.ts';

const mostAtOnce = 100;

export const updateComponents = defineOperation({
  path: '/components.update',
  summary: 'Switch installed components on or off, and configure them. It takes effect at once.',
  auth: 'core',
  request: z.object({ components: z.array(componentChange).max(mostAtOnce) }),
  example: { components: [{ name: 'integration-webhook', enabled: true, data: { name: 'webhook' } }] },
  responses: {
    200: z.object({
      components: z.record(z.string(), z.boolean()).describe('Name → whether it is switched on now.'),
      problems: z
        .array(z.object({ path: z.string(), problem: z.string() }))
        .optional()
        .describe('Why others were left out.'),
    }),
  },
  answers: { 200: { description: 'Components that could not be configured are left out.' } },
  errors: [],
  async handle({ commands, services }, { components }) {
    const enabled: Record<string, boolean> = {};
    const problems: { path: string; problem: string }[] = [];
    for (const [n, change] of components.entries()) {
      const problem = await apply(commands, services, change);
      if (problem === null) enabled[change.name] = change.enabled;
      else problems.push({ path: `components[${n}]`, problem });
    }
    return ok({ components: enabled, ...(problems.length > 0 && { problems }) });
  },
});

/** @returns why the change can not be made; null: it is made */
async function apply(
  commands: CommandSender,
  services: Services,
  { name, enabled, data }: z.output<typeof componentChange>,
): Promise<string | null> {
  const component = findComponent(services, name);
  if (component === null) return `There is no component ${name}.`;
  if (component.status !== 'installed') return notInstalled(name);
  const configuration = data && configurationOf(component, data);
  if (typeof configuration === 'string') return configuration;
  if (enabled && configuration === undefined && component.problem !== null) return component.problem;
  const { id, named } = addressed(component);
  try {
    await commands.send('component', id, 'component.update', {
      ...named,
      enabled,
      ...(configuration && { configuration }),
    });
    return null;
  } catch (error) {
    // It was uninstalled meanwhile.
    if (error instanceof Failure && error.code === 'not_found') return notInstalled(name);
    throw error;
  }
}

const notInstalled = (name: string): string => `${name} is not installed: install it with components.install.`;
