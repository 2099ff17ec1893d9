import type { TagJson } from '../representation.ts';
import type { TagRow } from './tables.ts';

/** A stored tag as the API shows it. */
export const tagJson = ({ id, name, color }: Readonly<TagRow>): TagJson => ({ id, name, color });
