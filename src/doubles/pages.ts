import { type Fields, type ApiAnswer, jsonAnswer } from './wire.ts';
import { badParameter } from './graph.ts';

/** A page of the platform's user, with the photo account that is linked to it. */
export interface BusinessPage {
  id: string;
  name: string;
  photoAccount: { id: string; name: string; username: string };
}

/** What the user of the double manages: more than one answer of the platform holds. */
export const pages: readonly BusinessPage[] = ['Lamp shop', 'Book shop', 'Flower shop'].map((name, n) => ({
  id: `10000000000000${n + 1}`,
  name,
  photoAccount: {
    id: `1784140000000000${n + 1}`,
    name: `${name} photos`,
    username: name.replace(' ', '').toLowerCase(),
  },
}));

/** The platform gives 25 of them at a time; here paging shows with three. */
const pageSize = 2;

export const pageFields = (page: BusinessPage, url: string, access_token: string): Fields => ({
  ...{ id: page.id, name: page.name, access_token, category: 'Shopping & retail' },
  ...{ picture: { data: { height: 50, width: 50, is_silhouette: false, url: `${url}/media/${page.id}.png` } } },
  instagram_business_account: { id: page.photoAccount.id },
});

export const photoAccountFields = ({ photoAccount: { id, name, username } }: BusinessPage, url: string): Fields => ({
  ...{ id, name, username, profile_picture_url: `${url}/media/${id}.png` },
});

/** The fields of an object that a call asks for, as `id,name,picture{url}`; the id is always there. */
export function chosen(all: Fields, wanted: string): ApiAnswer | Fields {
  const names = wanted.split(/,(?![^{]*\})/).flatMap((field) => field.trim().replace(/[{.].*$/, '') || []);
  const unknown = names.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) return badParameter(`Tried accessing nonexisting field (${unknown})`);
  const usual = names.length === 0 ? ['name', 'id'] : [...names, 'id'];
  return Object.fromEntries(usual.filter((name) => Object.hasOwn(all, name)).map((name) => [name, all[name]]));
}

const isAnswer = (value: ApiAnswer | Fields): value is ApiAnswer => typeof value['status'] === 'number';

export function objectAnswer(all: Fields, wanted: string): ApiAnswer {
  const found = chosen(all, wanted);
  return isAnswer(found) ? found : jsonAnswer(200, found);
}

/**
 * A part of a list, with the address of the next one. As at the platform the address holds the token, and not the
 * proof that the call had.
 */
export function listAnswer(list: readonly Fields[], query: URLSearchParams, url: string, token: string): ApiAnswer {
  const after = Number(Buffer.from(query.get('after') ?? '', 'base64url').toString() || 0);
  const limit = Math.min(Math.max(1, Number(query.get('limit') ?? pageSize) || pageSize), pageSize);
  const shown = list.slice(after, after + limit).map((all) => chosen(all, query.get('fields') ?? ''));
  const wrong = shown.find(isAnswer);
  if (wrong) return wrong as ApiAnswer;
  const cursor = Buffer.from(String(after + limit)).toString('base64url');
  const kept = [...query].filter(([name]) => !['after', 'appsecret_proof', 'access_token', 'limit'].includes(name));
  const next = new URLSearchParams([...kept, ['access_token', token], ['limit', String(limit)], ['after', cursor]]);
  const hasMore = after + limit < list.length;
  return jsonAnswer(200, {
    data: shown,
    paging: {
      cursors: { before: query.get('after') ?? 'MA', after: cursor },
      ...(hasMore && { next: `${url}?${next}` }),
    },
  });
}
