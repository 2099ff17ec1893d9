import type { MetadataItem, ReceiptItem } from './items.ts';

/** A receipt as metadata of its message: where the API shows how far the message got on the source's side. */
export const receiptMetadata = ({ message, state }: ReceiptItem): MetadataItem => ({
  namespace: 'message',
  sourceId: message,
  metadata: { source: { delivery_state: state } },
});
