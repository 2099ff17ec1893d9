import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { channelId } from '#actors/ids.ts';
import type { AccountForm, AccountParts, ExploreOutcome, LinkOutcome } from '#src/connectors/accounts.ts';
import type { Services } from '#src/services.ts';
import { exampleIds } from '../examples.ts';
import { defineOperation, defineRead, empty, ok, type Operation } from '../operation.ts';
import { channelSchema, name, url, uuid } from '../schemas.ts';

/** The operations of a source whose accounts people connect: `connect`, `disconnect`, and `explore` where it can. */
export const accountOperations = (form: AccountForm): Operation[] => [
  connectOperation(form),
  disconnectOperation(form),
  ...(form.explore ? [exploreOperation(form, form.explore)] : []),
];

const connectOperation = (form: AccountForm): Operation =>
  defineOperation({
    path: `/channels.${form.source}.connect`,
    summary: `Connect an account of ${form.source}; the same again updates and reconnects its channel.`,
    auth: 'core',
    feature: form.component,
    waits: true,
    request: form.request.extend({ name, image_url: url.optional() }),
    example: { ...form.example, name: 'Support', image_url: 'https://shop.example/logo.png' },
    responses: { 200: channelSchema },
    errors: ['feature_disabled', 'source_rejected', 'source_unreachable', 'metadata_too_large'],
    async handle({ commands, services }, { name: called, image_url: given, ...body }) {
      const { sourceChannelId, token, imageUrl, metadata } = linked(await form.connect(body, partsOf(services)));
      const image = given ?? imageUrl;
      const { channel } = await commands.send('channel', channelId(form.source, sourceChannelId), 'channel.connect', {
        ...{ source: form.source, sourceChannelId, name: called as string },
        ...(image !== undefined && { imageUrl: image as string }),
        ...(token !== null && { token }),
        ...(metadata && { metadata }),
      });
      return ok(channel);
    },
  });

const disconnectOperation = (form: AccountForm): Operation =>
  defineOperation({
    path: `/channels.${form.source}.disconnect`,
    summary: `Disconnect a channel of ${form.source}; its token is deleted, also where the platform does not answer.`,
    auth: 'core',
    waits: true,
    request: z.object({ channel_id: uuid }),
    example: { channel_id: exampleIds.channel },
    responses: { 202: null },
    answers: { 202: { description: 'It is disconnected.' } },
    errors: ['channel_unknown'],
    async handle({ commands, services }, { channel_id }) {
      const { channels } = services.store;
      const channel = channels.find(channel_id);
      if (channel?.source !== form.source) {
        throw new Failure('channel_unknown', `There is no channel ${channel_id} of ${form.source}.`);
      }
      // A platform that is switched off can not be asked.
      if (channel.connected && services.features.isOn(form.component)) {
        await form.disconnect?.({ channel, token: channels.token(channel_id) }, partsOf(services));
      }
      await commands.send('channel', channel_id, 'channel.disconnect', null);
      return empty(202);
    },
  });

const exploreOperation = (form: AccountForm, { id, find }: NonNullable<AccountForm['explore']>): Operation =>
  defineRead({
    path: `/channels.${form.source}.explore`,
    summary: `List the accounts of ${form.source} that a token is for.`,
    auth: 'core',
    feature: form.component,
    waits: true,
    request: z.object({ auth_token: z.string().min(1) }),
    example: { auth_token: 'a-token-of-the-platform' },
    responses: {
      200: z.object({
        data: z.array(
          z.object({ name: z.string(), [id]: z.string(), connected: z.boolean(), image_url: z.string().optional() }),
        ),
      }),
    },
    errors: ['feature_disabled', 'source_rejected', 'source_unreachable'],
    async handle({ services }, { auth_token }) {
      const accounts = found(await find(auth_token, partsOf(services)));
      const data = accounts.map((account) => ({
        name: account.name,
        [id]: account.id,
        connected: services.store.channels.find(channelId(form.source, account.id))?.connected === true,
        ...(account.imageUrl !== null && { image_url: account.imageUrl }),
      }));
      return ok({ data });
    },
  });

const partsOf = ({ config, callTools }: Services): AccountParts => ({ ...callTools, config });

/** @throws Failure `source_rejected`, `source_unreachable` */
function linked(outcome: LinkOutcome): Extract<LinkOutcome, { kind: 'linked' }> {
  if (outcome.kind === 'linked') return outcome;
  throw refusalOf(outcome);
}

/** @throws Failure `source_rejected`, `source_unreachable` */
function found(outcome: ExploreOutcome): Extract<ExploreOutcome, { kind: 'found' }>['accounts'] {
  if (outcome.kind === 'found') return outcome.accounts;
  throw refusalOf(outcome);
}

const refusalOf = ({ kind, error }: { kind: 'rejected' | 'unreachable'; error: string }): Failure =>
  new Failure(kind === 'rejected' ? 'source_rejected' : 'source_unreachable', error);
