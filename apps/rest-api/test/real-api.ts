/** The API as it is deployed, in this process, over a database of its own. */
import { createHash, randomBytes } from 'node:crypto';
import { openPlatform, type Platform } from '@trading-automation/core';
import { generateSealingKeyPair } from '@trading-automation/core/sealing';
import { createCoreDatabase } from '@trading-automation/core/testing';
import { createLogger, readConfig } from '@trading-automation/runtime';
import { identityMessage, publicKeyOf, signMessage, signRequest } from '@trading-automation/signed-request';
import { configSchema } from '../src/config.js';
import { startRestApi } from '../src/rest-api.js';
import { LIMITS_OUT_OF_THE_WAY } from './rate-limits.js';
import { JSON_TYPE, type Received, type Sent, send } from './send.js';

export interface RealApi {
  readonly port: number;
  readonly url: string;
  readonly databaseUrl: string;
  readonly log: string[];
  /** Another process on the same database; it ends with the API. */
  another(poolSize?: number): Promise<Platform>;
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
  const others: Platform[] = [];
  return {
    port: Number(new URL(url).port),
    url,
    databaseUrl: database.url,
    log,
    another: async (poolSize = 10) => {
      const platform = await openPlatform({
        world: 'test',
        databaseUrl: database.url,
        applicationName: 'rest-api-spec',
        poolSize,
        onListenerError: () => undefined,
      });
      others.push(platform);
      return platform;
    },
    close: async () => {
      await Promise.all(others.map((platform) => platform.close()));
      await stop();
      await database.drop();
    },
  };
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

/** A signed request, whose body is JSON: text as it is given, or what is to be written as such. */
export function sendSigned(
  api: { port: number },
  { privateKey }: KeyHolder,
  method: string,
  target: string,
  { body: given, headers }: Pick<Sent, 'headers'> & { readonly body?: string | object | undefined } = {},
): Promise<Received> {
  if (given === undefined) {
    return send(api, method, target, {
      headers: { ...signRequest({ method, path: target, privateKey }), ...headers },
    });
  }
  const body = typeof given === 'string' ? given : JSON.stringify(given);
  const signature = signRequest({ method, path: target, privateKey, body });
  return send(api, method, target, { body, headers: { ...signature, ...JSON_TYPE, ...headers } });
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
  const headers = { ...JSON_TYPE, ...sent };
  const { status, text } = await send(api, 'POST', '/v1/auth/cli-identity', { body, headers });
  if (status !== 201) throw new Error(`no account was opened: ${text}`);
  return holder;
}
