/** The part of the package that the tests use: it has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<{ prompt: { name: string } }>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }

  export const interactionPolicy: {
    base(): { add(prompt: object, index: number): void };
    Prompt: new (about: { name: string; requestable: boolean }) => object;
  };
}
