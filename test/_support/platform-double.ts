import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { generateKeyPairSync } from 'node:crypto';
import { environmentName } from '#src/config/keys.ts';
import { simulatedSources } from '#src/doubles/sources.ts';
import { freePort, HubProcess } from './hub-process.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** What a double says of itself when it answers. */
interface DoubleFacts {
  url: string;
  connect: { operation: string; body: Record<string, string> };
  account: string;
  contact: string;
  /** A message as the hub is to send it, with `<text>` in it. */
  reply: object;
}

/** A double in a process of its own, as `parley simulate` runs it. */
export interface DoubleProcess extends DoubleFacts, AsyncDisposable {
  /** Asks its control: POST with a body, else GET. @throws Error with its words when it says no */
  control<T = unknown>(path: string, body?: object): Promise<T>;
}

/** @param args `simulate` and its flags; `env` of the process besides this one's */
async function startDoubleProcess(args: readonly string[], env: Record<string, string>): Promise<DoubleProcess> {
  const child = spawn(process.execPath, [main, ...args, '--json', '--until-input-ends'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const said = await Promise.race([line, ended.then(() => null)]);
  if (said === null) throw new Error('the double ended before it answered');
  const facts = JSON.parse(said[0]!) as DoubleFacts;
  return {
    ...facts,
    async control<T>(path: string, body?: object) {
      const answer = await fetch(`${facts.url}/_control/${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      const said = (await answer.json()) as T & { error?: string };
      if (!answer.ok) throw new Error(`the double said ${answer.status}: ${said.error}`);
      return said;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}

/** Secrets of the configuration that a hub and its platform share. */
export const platformSecrets = {
  appSecret: 'canary-of-the-app-secret',
  webhookSecret: 'canary-of-the-webhook-secret',
  partnerKey: 'canary-of-the-partner-key',
  authToken: 'canary-of-the-auth-token',
};

/** What a hub has below `components.sources.<component>`, for a double at this address. */
function configurationOf(component: string, url: string): Record<string, string> {
  const { appSecret, webhookSecret, partnerKey, authToken } = platformSecrets;
  if (component === 'telco') return { accountSid: `AC${'0'.repeat(32)}`, authToken, apiBase: url };
  if (component === 'bizmaps') return { saFile: keyFile(`${url}/token`), partnerKey, apiBase: url };
  return { appId: '123456789', appSecret, webhookSecret, apiBase: `${url}/v23.0` };
}

function keyFile(token_uri: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const client_email = 'hub@tests.iam.gserviceaccount.com';
  return JSON.stringify({ type: 'service_account', private_key_id: 'k', client_email, private_key, token_uri });
}

/** A hub and the platform that it speaks to, each in a process of its own. */
export interface PlatformStage extends AsyncDisposable {
  hub: HubProcess;
  double: DoubleProcess;
}

/** @param flags of `parley simulate` */
export async function startPlatform(source: string, flags: readonly string[] = []): Promise<PlatformStage> {
  const [port, doublePort] = [await freePort(), await freePort()];
  const { component } = simulatedSources.find((one) => one.source === source)!;
  const values = configurationOf(component, `http://127.0.0.1:${doublePort}`);
  const env = Object.fromEntries([
    [environmentName(['server', 'publicUrl']), `http://127.0.0.1:${port}`],
    ...Object.entries(values).map(([key, value]) => [
      environmentName(['components', 'sources', component, key]),
      value,
    ]),
  ]);
  const hub = await HubProcess.start({ port, env });
  try {
    const double = await startDoubleProcess(['simulate', source, '--workspace', hub.workspace, ...flags], env);
    return {
      ...{ hub, double },
      async [Symbol.asyncDispose]() {
        await double[Symbol.asyncDispose]();
        await hub[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await hub[Symbol.asyncDispose]();
    throw error;
  }
}
