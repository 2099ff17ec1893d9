import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const redriveDeadLetter = defineOperation({
  path: '/dead-letters.redrive',
  summary: 'Handle a dead letter again, once its cause is mended.',
  auth: 'core',
  request: z.object({ command_id: uuid }),
  example: { command_id: exampleIds.message },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands, services }, { command_id }) {
    const letter = services.store.deadLetters.find(command_id);
    if (letter === null) throw new Failure('not_found', `There is no dead letter ${command_id}.`);
    await commands.redrive(letter.actor, command_id);
    return empty(204);
  },
});
