import { z } from 'zod';
import { keysOf } from '#src/config/catalogue.ts';
import type { Component } from '#src/config/components.ts';
import { defineRead, ok } from '../operation.ts';

const componentSchema = z
  .object({
    name: z.string(),
    displayName: z.string(),
    description: z.string().describe('HTML.'),
    category: z.string(),
    source: z.string().describe('The source that it connects; else what it is about.'),
    isChannel: z.string().describe('`true` for one that connects a source, else `false`.'),
    installationStatus: z.enum(['uninstalled', 'pending', 'installed']),
    configurationValues: z.string().describe('JSON: the keys of its configuration, each with its type.'),
    docs: z.string(),
    availableFor: z.string().describe('Editions, with commas between them.'),
    price: z.string(),
    repository: z.string(),
  })
  .meta({ id: 'Component' });

export const listComponents = defineRead({
  path: '/components.list',
  summary: 'Every component there is, installed or not.',
  auth: 'core',
  request: z.object({}),
  example: {},
  responses: { 200: z.object({ components: z.array(componentSchema) }) },
  errors: [],
  handle: ({ services }) => {
    const { publicUrl } = services.config.server;
    const docs = `${publicUrl.replace(/\/$/, '')}/docs`;
    return ok({ components: services.components().map((component) => listed(component, docs)) });
  },
});

const listed = ({ entry, status }: Component, docs: string): z.output<typeof componentSchema> => ({
  name: entry.name,
  displayName: entry.displayName,
  description: `<p>${entry.description}</p>`,
  category: entry.category,
  source: entry.source,
  isChannel: String(entry.path?.[0] === 'components'),
  installationStatus: status,
  configurationValues: JSON.stringify(typesOfKeys(entry)),
  docs,
  // There is one edition, and everything is in it.
  ...{ availableFor: 'self-hosted', price: 'Free', repository: 'built-in' },
});

const typesOfKeys = (entry: Component['entry']): Record<string, string> =>
  Object.fromEntries(Object.entries(keysOf(entry)).map(([key, { type }]) => [key, type.words]));
