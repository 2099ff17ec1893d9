/** The order in which channels are listed, whatever their shards. */
export const channelOrder = `
CREATE INDEX channel_created ON channel (created_at, key);
`;
