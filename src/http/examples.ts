/** Ids that the examples of the documentation share. */
export const exampleIds = {
  channel: '6c1f2d0e-52a4-5d0b-9a6e-0d8a51c0b7f1',
  conversation: 'a3b1c2d4-1111-5222-8333-444455556666',
  contact: '0192f3a4-5b6c-7d8e-9f01-3456789abcde',
  otherContact: '0192f3a4-5b6c-7d8e-9f01-456789abcdef',
  message: '0f6e2a3c-7b1d-5c9e-8a4f-1234567890ab',
  tag: '0192f3a4-7c1d-7b2e-8a3f-56789abcdef0',
  template: '0192f3a4-8d2e-7c3f-9b40-6789abcdef01',
  webhook: '0192f3a4-5b6c-7d8e-9f01-23456789abcd',
  apiKey: '0192f3a4-6c7d-7e8f-8a01-3456789abcde',
  session: '0192f3a4-7d8e-7f90-8b02-456789abcdef',
  delivery: '7d3e9c10-2f4a-5b6c-8d7e-0123456789ab',
} as const;
