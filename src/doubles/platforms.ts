import { z } from 'zod';
import { BizMapsDouble, type BizMapsCredentials, newBizMapsCredentials } from './bizmaps.ts';
import { CloudMsgDouble } from './cloudmsg.ts';
import type { DoubleTools, PlatformDouble } from './double.ts';
import { type GraphApp, newGraphApp } from './graph.ts';
import { PagePlatformDouble } from './pageplatform.ts';
import type { SimulatedSource } from './sources.ts';
import { newTelcoCredentials, type TelcoCredentials, TelcoDouble } from './telco.ts';

/** How the doubles of a component come to be. */
interface Making<Credentials extends object = object> {
  credentials: z.ZodType<Credentials>;
  /** For a hub that has none yet. @param url of the double */
  newCredentials(url: string): Credentials;
  make(source: string, credentials: Credentials, tools: DoubleTools): PlatformDouble;
}

const text = z.string().min(1);
const graphApp = z.object({ appId: text, appSecret: text, webhookSecret: text });

const pagePlatform: Making<GraphApp> = {
  ...{ credentials: graphApp, newCredentials: newGraphApp },
  make: (source, app, tools) => new PagePlatformDouble(source, app, tools),
};
const cloudMsg: Making<GraphApp> = {
  ...{ credentials: graphApp, newCredentials: newGraphApp },
  make: (_, app, tools) => new CloudMsgDouble(app, tools),
};
const bizMaps: Making<BizMapsCredentials> = {
  ...{ credentials: z.object({ saFile: text, partnerKey: text }), newCredentials: newBizMapsCredentials },
  make: (_, credentials, tools) => new BizMapsDouble(credentials, tools),
};
const telco: Making<TelcoCredentials> = {
  ...{ credentials: z.object({ accountSid: text, authToken: text }), newCredentials: newTelcoCredentials },
  make: (source, credentials, tools) => new TelcoDouble(source, credentials, tools),
};

/** Each is given what its own schema made. */
const makings: Record<SimulatedSource['component'], Making> = {
  pageplatform: pagePlatform as unknown as Making,
  cloudmsg: cloudMsg as unknown as Making,
  bizmaps: bizMaps as unknown as Making,
  telco: telco as unknown as Making,
};

/**
 * Makes the double of a source.
 * @param credentials that the hub has, others beside them; null: it has none
 * @throws Error when some are missing
 */
export function makeDouble(
  { source, component }: SimulatedSource,
  credentials: object | null,
  tools: DoubleTools,
): PlatformDouble {
  const making = makings[component];
  const known = credentials === null ? making.newCredentials(tools.url) : complete(making, component, credentials);
  return making.make(source, known, tools);
}

function complete({ credentials }: Making, component: string, given: object): object {
  const result = credentials.safeParse(given);
  if (result.success) return result.data;
  const missing = result.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new Error(`the credentials of components.sources.${component} lack ${missing}`);
}
