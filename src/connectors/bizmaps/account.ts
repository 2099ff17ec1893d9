import { z } from 'zod';
import { foreignId } from '#src/ingest/fields.ts';
import { accountForm, type LinkOutcome } from '../accounts.ts';
import { accessTokens } from './access-tokens.ts';
import { source } from './inbound.ts';
import { lastPart } from './names.ts';

/**
 * An agent of a brand. The API that tells whose it is is another one, with rights of its own: what is asked is whether the
 * service account is let in. Where the platform calls is set there, and stays when a channel is disconnected.
 */
export const agents = accountForm({
  source,
  component: source,
  request: z.object({
    agent_id: foreignId.describe('Id of the agent, or its name: what comes after agents/ is its id.'),
  }),
  example: { agent_id: 'a4c1a2f6-7d2f-4c0a-9d4b-2f1b8a7c5e01' },
  async connect({ agent_id }, { config, ...tools }): Promise<LinkOutcome> {
    const grant = await accessTokens(config.components.sources.bizmaps!.saFile.reveal()).fresh(tools);
    if (grant.kind === 'granted') {
      return { kind: 'linked', sourceChannelId: lastPart(agent_id, 'agents') ?? agent_id, token: null };
    }
    return { kind: grant.kind === 'rejected' ? 'rejected' : 'unreachable', error: grant.error };
  },
});
