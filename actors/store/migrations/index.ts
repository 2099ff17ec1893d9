import { start } from './001-start.ts';
import { contacts } from './002-contacts.ts';
import { tagsAndTemplates } from './003-tags.ts';
import { access } from './004-access.ts';
import { components } from './005-components.ts';
import { media } from './006-media.ts';
import { erasing } from './007-erasing.ts';
import { pending } from './008-pending.ts';
import { erasedNames } from './009-erased-names.ts';
import { channelOrder } from './010-channel-order.ts';
import { erasedConversations } from './011-erased-conversations.ts';

/** The schema's history: migration n brings a file to version n + 1. Never edited once released, only added to. */
export const migrations: readonly string[] = [
  ...[start, contacts, tagsAndTemplates, access, components, media],
  ...[erasing, pending, erasedNames, channelOrder, erasedConversations],
];
