import { answering, startApi, type TestApi } from '../_support/api.ts';

export const unknown = '0192f3a4-5b6c-7d8e-9f01-23456789abce';

export type Contact = Record<string, unknown> & { id: string };
export interface Page {
  data: Contact[];
  pagination_data: { previous_cursor: string | null; next_cursor: string | null; total: number };
}

export const create = async (api: TestApi, body: object): Promise<Contact> =>
  (await api.post<Contact>('/contacts.create', body)).body;
export const info = async (api: TestApi, body: object): Promise<Contact> =>
  (await api.post<Contact>('/contacts.info', body)).body;

export const barbara = {
  ...{ display_name: 'Barbara', avatar_url: 'https://img.example/b.png', title: 'Professor', timezone: '-5' },
  ...{ gender: 'female', locale: 'en_US', organization_name: 'MIT' },
  via: { phone: '+1 555', email: 'b@example.com', other: { handle: 'b' } },
  address: { address_line1: 'Vassar Street', city: 'Cambridge', country: 'US' },
  metadata: { crm: { id: 4711, vip: true } },
};

/** A hub with its dispatchers, which carry out imports and merges. */
export async function startDispatching(): Promise<TestApi> {
  const api = await startApi();
  api.dispatch(answering(200, {}));
  return api;
}
