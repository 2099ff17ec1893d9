/** The kind of the outbox's rows that ask the running hub to follow a component. */
export const componentEffect = 'component';
