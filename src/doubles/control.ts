import { z } from 'zod';
import { type Behaviour, behaviourSchema } from './behaviour.ts';
import { Impossible, type PlatformDouble, type TakenMessage } from './double.ts';
import { type ApiAnswer, type ApiCall, type Fields, jsonAnswer, jsonIn } from './wire.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** A call of the hub, as it is listed: without its query and headers, which hold secrets. */
export interface ListedCall {
  method: string;
  path: string;
  /** Null: it was never answered. */
  status: number | null;
  /** Where it was a JSON object. */
  body?: Fields;
}

/** What the control of a double works with. */
export interface ControlParts {
  platform: PlatformDouble;
  sender: WebhookSender;
  sent: readonly TakenMessage[];
  calls: readonly ListedCall[];
  behaviour: Behaviour;
  /** Epoch ms. */
  now(): number;
}

const some = z.string().min(1).max(1_000);
const fields = z.record(z.string(), z.json());
const writtenSchema = z.strictObject({
  from: some.optional(),
  to: some.optional(),
  text: z.string().max(1_000_000).default(''),
  name: some.optional(),
  content: fields.optional(),
  sent_at: z.int().optional(),
});
const reportSchema = z.strictObject({ id: some, report: some });
const webhookSchema = z.strictObject({ body: fields });

type Action = (parts: ControlParts, call: ApiCall) => Promise<ApiAnswer>;

/** What people and tests ask of a double, by method and path. */
const actions: Record<string, Action> = {
  'POST /_control/message': async ({ platform, sender, now }, call) => {
    const { from, to, sent_at, ...rest } = writtenSchema.parse(jsonIn(call));
    const { account, contact } = platform.introduction;
    const between = { from: from ?? contact, to: to ?? account };
    const webhook = await platform.written({ ...rest, ...between, sentAt: sent_at ?? now() });
    return jsonAnswer(200, { id: webhook.id, webhook: await sender.send(webhook) });
  },
  'POST /_control/report': async ({ platform, sender, sent }, call) => {
    const { id, report } = reportSchema.parse(jsonIn(call));
    const message = sent.find((one) => one.id === id);
    if (!message) throw new Impossible(`the hub sent no message ${id}: see /_control/sent`);
    const webhook = await platform.report(message, report);
    if (webhook === null) throw new Impossible('the hub did not ask the platform to report that');
    return jsonAnswer(200, { id, webhook: await sender.send(webhook) });
  },
  'POST /_control/webhook': async ({ platform, sender }, call) => {
    const webhook = await platform.webhook(webhookSchema.parse(jsonIn(call)).body);
    return jsonAnswer(200, { webhook: await sender.send(webhook) });
  },
  'POST /_control/handshake': async ({ platform }) => {
    if (platform.handshake === null) throw new Impossible('the platform does not ask the hub for anything');
    const { wanted, url, ...request } = platform.handshake;
    const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(10_000) });
    const body = await answer.text();
    return jsonAnswer(200, { status: answer.status, accepted: answer.ok && body === wanted });
  },
  'POST /_control/behave': async ({ behaviour }, call) => {
    Object.assign(behaviour, behaviourSchema.partial().parse(jsonIn(call)));
    return jsonAnswer(200, behaviour);
  },
  'GET /_control/behave': async ({ behaviour }) => jsonAnswer(200, behaviour),
  'GET /_control/sent': async ({ sent }) => jsonAnswer(200, { data: sent }),
  'GET /_control/calls': async ({ calls }) => jsonAnswer(200, { data: calls }),
  'GET /_control/webhooks': async ({ sender }) => jsonAnswer(200, { data: sender.sent }),
};

/** Whether a call is one of people and tests. */
export const isControl = ({ path }: ApiCall): boolean => path.startsWith('/_control/');

/** Does what people and tests ask of a double; 400 with a sentence for what can not be. */
export async function control(parts: ControlParts, call: ApiCall): Promise<ApiAnswer> {
  // Pages of other origins could otherwise write messages by the browser of whoever runs the double.
  if (call.headers.origin !== undefined) return jsonAnswer(403, { error: 'Not for web pages.' });
  const action = actions[`${call.method} ${call.path}`];
  if (!action) return jsonAnswer(404, { error: `There are ${Object.keys(actions).join(', ')}.` });
  try {
    return await action(parts, call);
  } catch (error) {
    if (error instanceof z.ZodError) return jsonAnswer(400, { error: z.prettifyError(error) });
    if (error instanceof Impossible) return jsonAnswer(409, { error: error.message });
    throw error;
  }
}
