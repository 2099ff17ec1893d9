import type { Page } from '#actors/store/page.ts';

/** What a page of the store holds. */
export const itemsOf = <T>({ items }: Page<T>): T[] => items.map(({ text }) => JSON.parse(text) as T);
