/** What the AsyncAPI document has of the WebSocket of visitors. */

const servers = [{ $ref: '#/servers/visitors' }];

const typing = {
  type: 'object',
  required: ['typing'],
  properties: { typing: { type: 'boolean' } },
} as const;

const channel = (address: string, description: string, message: string) => ({
  ...{ address, description, servers },
  messages: { [message]: { $ref: `#/components/messages/${message}` } },
});

export const visitorChannels = {
  visitorMessages: channel(
    '/user/queue/message',
    'Each Message of the visitor and of agents. With the SUBSCRIBE header `after`, all behind the frame of that `message-id`.',
    'VisitorMessage',
  ),
  visitorIsToldOfTyping: channel('/user/queue/typing', 'An agent types, or stopped.', 'AgentTyping'),
  visitorTypes: channel('/typing', 'The visitor types, or stopped.', 'VisitorTyping'),
};

const json = { contentType: 'application/json' };

export const visitorMessages = {
  VisitorMessage: {
    ...{ name: 'message', title: 'VisitorMessage', summary: 'A Message of the conversation.', ...json },
    payload: { $ref: '#/components/schemas/MessagePayload' },
  },
  AgentTyping: {
    ...{ name: 'typing', title: 'AgentTyping', summary: 'Forgotten after 10 s, or with a Message.', ...json },
    payload: {
      ...typing,
      required: ['typing', 'conversation_id', 'channel_id'],
      properties: { ...typing.properties, conversation_id: { type: 'string' }, channel_id: { type: 'string' } },
    },
  },
  VisitorTyping: {
    ...{ name: 'typing', title: 'VisitorTyping', summary: 'As often as the client likes.', ...json },
    payload: typing,
  },
};

const operation = (action: 'send' | 'receive', name: keyof typeof visitorChannels, summary: string) => ({
  ...{ action, summary, channel: { $ref: `#/channels/${name}` } },
  security: [{ $ref: '#/components/securitySchemes/visitorToken' }],
});

export const visitorOperations = {
  'receive-visitorMessages': operation('send', 'visitorMessages', 'The hub sends one MESSAGE for each.'),
  'receive-visitorIsToldOfTyping': operation('send', 'visitorIsToldOfTyping', 'The hub sends one MESSAGE for each.'),
  'send-visitorTypes': operation('receive', 'visitorTypes', 'The visitor’s client sends it.'),
};

export const visitorToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'From the operation by which a visitor authenticates: in CONNECT, or in the upgrade request.',
} as const;
