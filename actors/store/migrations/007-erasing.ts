/** What erasing a person needs: how far a conversation is erased, and which files its messages show. */
export const erasing = `
-- key below which every message is erased; null: none is
ALTER TABLE conversation ADD COLUMN erased_before INTEGER;

-- files of the hub's own that messages show
CREATE TABLE message_media (
  key INTEGER PRIMARY KEY,
  message INTEGER NOT NULL,
  media BLOB NOT NULL
) STRICT;
CREATE INDEX message_media_message ON message_media (message);
CREATE INDEX message_media_media ON message_media (media);

-- stored: key of the turn in which it was last given, null before that was counted; erased: 1, or null
ALTER TABLE media ADD COLUMN stored INTEGER;
ALTER TABLE media ADD COLUMN erased INTEGER;

-- message: the one that the answer shows, null when it shows none
ALTER TABLE idempotency_key ADD COLUMN message BLOB;
CREATE INDEX idempotency_key_message ON idempotency_key (message) WHERE message IS NOT NULL;

CREATE INDEX base_actor ON base (actor);
`;
