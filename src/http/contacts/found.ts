import { Failure } from '#actors/errors.ts';
import type { JsonText } from '#actors/json.ts';
import type { MergedContactJson } from '#actors/contact/reader.ts';
import type { Services } from '#src/services.ts';

/** A contact as it is now. @throws Failure `not_found` */
export function foundContact({ store }: Pick<Services, 'store'>, id: string): JsonText<MergedContactJson> {
  const contact = store.contacts.find(id);
  if (contact === null) throw new Failure('not_found', `There is no contact ${id}.`);
  return contact;
}
