/** Where a contact who comes for messages finds those that it has not got. */
export const pending = `
CREATE INDEX message_pending ON message (conversation, turn) WHERE state = 'pending';
`;
