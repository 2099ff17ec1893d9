import { parseJson } from '#actors/json.ts';
import type { SecretAnswer } from '../operation.ts';
import { foundContact } from './found.ts';

/** Of an answer that is a contact only its id is kept: a person's data stands in the contact's own rows and nowhere else. */
export const keptById: SecretAnswer = {
  async strip(_, body) {
    return { id: (body as { id: string }).id };
  },
  async restore(services, stripped) {
    return parseJson(foundContact(services, (stripped as { id: string }).id).text);
  },
};
