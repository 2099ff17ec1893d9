import type { Config } from '#src/config/config.ts';

/** The account at the telephony provider. */
export type Telco = NonNullable<Config['components']['sources']['telco']>;

/** The account itself, below which is all that is its. */
const accountPath = ({ apiBase, accountSid }: Telco): string =>
  `${apiBase.replace(/\/$/, '')}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}`;

export const accountUrl = (telco: Telco): string => `${accountPath(telco)}.json`;
export const messagesUrl = (telco: Telco): string => `${accountPath(telco)}/Messages.json`;

/** The credential of every call. A secret. */
export const credential = ({ accountSid, authToken }: Telco): string =>
  `Basic ${Buffer.from(`${accountSid}:${authToken.reveal()}`).toString('base64')}`;

/** What the platform says, without what only it and the hub may know. */
export const withoutSecrets = (text: string, telco: Telco): string =>
  text
    .replaceAll(credential(telco).slice('Basic '.length), '[redacted]')
    .replaceAll(telco.authToken.reveal(), '[redacted]');
