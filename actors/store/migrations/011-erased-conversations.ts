/** Finds the conversations that were erased. */
export const erasedConversations = `
CREATE INDEX conversation_erased ON conversation (erased_before) WHERE erased_before IS NOT NULL;
`;
