import type { Inbound, MetadataItem, ReceiptItem } from './items.ts';

/** All that is said about conversations and messages; receipts are metadata too, and come last. */
export const metadataIn = ({ metadata, receipts }: Inbound): MetadataItem[] => [
  ...metadata,
  ...receipts.map(receiptMetadata),
];

/** A receipt as metadata of its message: where the API shows how far the message got on the source's side. */
const receiptMetadata = ({ message, state }: ReceiptItem): MetadataItem => ({
  namespace: 'message',
  sourceId: message,
  metadata: { source: { delivery_state: state } },
});
