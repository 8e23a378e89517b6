/** The API as it is deployed, in this process, over a database of its own. */
import { createHash, randomBytes } from 'node:crypto';
import { generateSealingKeyPair } from '@trading-automation/core/sealing';
import { createCoreDatabase } from '@trading-automation/core/testing';
import { createLogger, readConfig } from '@trading-automation/runtime';
import { identityMessage, publicKeyOf, signMessage, signRequest } from '@trading-automation/signed-request';
import { configSchema } from '../src/config.js';
import { startRestApi } from '../src/rest-api.js';
import { type Received, type Sent, send } from './notes-api.js';
import { LIMITS_OUT_OF_THE_WAY } from './rate-limits.js';

export interface RealApi {
  readonly port: number;
  readonly url: string;
  readonly databaseUrl: string;
  readonly log: string[];
  close(): Promise<void>;
}

export async function startRealApi(environment: Readonly<Record<string, string>> = {}): Promise<RealApi> {
  const database = await createCoreDatabase();
  const sealingKey = async () => {
    const { id, publicKey } = await generateSealingKeyPair();
    return `${id}.${publicKey}`;
  };
  const config = readConfig(configSchema, {
    WORLD: 'test',
    DATABASE_URL: database.url,
    REDIS_URL: process.env.TEST_REDIS_URL,
    SERVER_KEYS: createHash('sha256').update('server key').digest('base64url'),
    EXCHANGE_SEALING_KEY: await sealingKey(),
    WEBHOOK_SEALING_KEY: await sealingKey(),
    OPEN_REGISTRATION: 'true',
    RATE_LIMITS: JSON.stringify(LIMITS_OUT_OF_THE_WAY),
    ...environment,
  });
  const log: string[] = [];
  const logger = createLogger('rest-api', 'debug', { write: (line) => void log.push(line) });
  const { url, stop } = await startRestApi(config, '1.2.3', logger);
  const close = async () => {
    await stop();
    await database.drop();
  };
  return { port: Number(new URL(url).port), url, databaseUrl: database.url, log, close };
}

export interface KeyHolder {
  readonly privateKey: Uint8Array;
  readonly publicKey: string;
}

/** A key pair that no other test has. */
export function drawKeyHolder(): KeyHolder {
  const privateKey = randomBytes(32);
  return { privateKey, publicKey: publicKeyOf(privateKey) };
}

/** A signed request with a JSON body. */
export function sendSigned(
  api: { port: number },
  { privateKey }: KeyHolder,
  method: string,
  target: string,
  { body, headers = {} }: Pick<Sent, 'headers'> & { body?: string } = {},
): Promise<Received> {
  const signature = signRequest({
    method,
    path: target,
    privateKey,
    ...(body === undefined ? {} : { body }),
  });
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  return send(api, method, target, {
    ...(body === undefined ? {} : { body }),
    headers: { ...signature, ...type, ...headers },
  });
}

/** The body that links the key, over a challenge of its own. */
export async function drawIdentity(
  api: { port: number },
  holder: KeyHolder,
  headers: Sent['headers'] = {},
): Promise<string> {
  const { json } = await send(api, 'GET', '/v1/auth/cli-challenge', { headers });
  const { challenge } = json.data as { challenge: string };
  const signature = signMessage(identityMessage(challenge, holder.publicKey), holder.privateKey);
  return JSON.stringify({ challenge, pubkey: holder.publicKey, signature });
}

/** Somebody with an account of their own. */
export async function openAccount(
  api: { port: number },
  sent: Readonly<Record<string, string>> = {},
): Promise<KeyHolder> {
  const holder = drawKeyHolder();
  const body = await drawIdentity(api, holder, sent);
  const headers = { 'content-type': 'application/json', ...sent };
  const { status, text } = await send(api, 'POST', '/v1/auth/cli-identity', { body, headers });
  if (status !== 201) throw new Error(`no account was opened: ${text}`);
  return holder;
}
