// Of the platform's own library: what signs.
import { getExpectedBodyHash, getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { type Config, Secret } from '#src/config/config.ts';
import type { RawRequest } from '#src/connectors/connector.ts';
import { testConfig } from '../../_support/config.ts';

export const accountSid = 'AC00112233445566778899aabbccddeeff';
export const authToken = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
export const publicUrl = 'https://hub.example';
export const route = `${publicUrl}/telco`;
export const credential = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;

/** A hub with the account, which others reach at `address`. */
export function telcoConfig(address: string = publicUrl): Config {
  const config = testConfig();
  const telco = { apiBase: 'https://platform.example', accountSid, authToken: new Secret(authToken) };
  return {
    ...config,
    server: { ...config.server, publicUrl: address },
    components: { sources: { ...config.components.sources, telco } },
  };
}

/** A form as the platform sends it. Pairs, where a name is repeated. */
export type Form = Record<string, string> | [name: string, value: string][];

const fieldsOf = (form: Form): Record<string, string | string[]> => {
  const all = new URLSearchParams(form);
  return Object.fromEntries(
    [...new Set(all.keys())].map((name) => {
      const values = all.getAll(name);
      return [name, values.length === 1 ? values[0]! : values];
    }),
  );
};

/** What the platform signs a form with, calling `address`. */
export const signatureOf = (form: Form, address: string = route, token = authToken): string =>
  getExpectedTwilioSignature(token, address, fieldsOf(form));

/** A form that the platform sends, and where it arrives. */
export const posted = (form: Form, address: string = route, arrivesAt: string = address): RawRequest => ({
  method: 'POST',
  url: new URL(arrivesAt),
  headers: {
    'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
    'x-twilio-signature': signatureOf(form, address),
  },
  body: Buffer.from(new URLSearchParams(form).toString()),
});

/** A body that is no form: its digest is in the address. */
export function postedBody(body: string, address: string = route): RawRequest {
  const url = `${address}?bodySHA256=${getExpectedBodyHash(body)}`;
  const headers = { 'content-type': 'application/json', 'x-twilio-signature': signatureOf({}, url) };
  return { method: 'POST', url: new URL(url), headers, body: Buffer.from(body) };
}

const ids = {
  SmsMessageSid: 'SM1',
  SmsSid: 'SM1',
  MessageSid: 'SM1',
  AccountSid: accountSid,
  ApiVersion: '2010-04-01',
};

/** A text message, with the fields that the platform documents. */
export const sms = {
  ToCountry: 'DE',
  ToState: '',
  NumMedia: '0',
  ToCity: '',
  FromZip: '',
  SmsStatus: 'received',
  FromState: 'Berlin',
  FromCity: '',
  FromCountry: 'DE',
  Body: 'Hello hub',
  To: '+4930123456',
  ToZip: '',
  NumSegments: '1',
  From: '+491701234567',
  ...ids,
};

/** A chat message, likewise. */
export const chat = {
  NumMedia: '0',
  ProfileName: 'Ann',
  MessageType: 'text',
  SmsStatus: 'received',
  WaId: '491701234567',
  Body: 'Hello hub',
  To: 'whatsapp:+4930123456',
  NumSegments: '1',
  ReferralNumMedia: '0',
  From: 'whatsapp:+491701234567',
  ...ids,
};

/** How far a message of ours is. */
export const smsStatus = {
  SmsSid: 'SM2',
  SmsStatus: 'delivered',
  MessageStatus: 'delivered',
  To: '+491701234567',
  MessageSid: 'SM2',
  AccountSid: accountSid,
  From: '+4930123456',
  ApiVersion: '2010-04-01',
};

export const chatStatus = {
  ...smsStatus,
  ChannelPrefix: 'whatsapp',
  ChannelInstallSid: 'XE1',
  ChannelToAddress: '+491701XXXXXX',
  To: 'whatsapp:+491701234567',
  From: 'whatsapp:+4930123456',
  StructuredMessage: 'false',
};
