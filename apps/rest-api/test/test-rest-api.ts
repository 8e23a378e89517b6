/** Runs the API as deployed, in this process, on a separate database. */
import { createHash, randomBytes } from 'node:crypto';
import { openPlatform, type Platform } from '@trading-automation/core';
import { generateSealingKeyPair } from '@trading-automation/core/sealing';
import { createCoreDatabase } from '@trading-automation/core/testing';
import { createLogger, readConfig } from '@trading-automation/runtime';
import { identityMessage, publicKeyOf, signMessage, signRequest } from '@trading-automation/signed-request';
import { configSchema } from '../src/config.js';
import { startRestApi } from '../src/rest-api.js';
import { AMPLE_RATE_LIMITS } from './rate-limits.js';
import { JSON_TYPE, type SendOptions, send, type TestResponse } from './send.js';

export interface TestRestApi {
  readonly port: number;
  readonly url: string;
  readonly databaseUrl: string;
  readonly log: string[];
  /** Opens a platform like that of another process on the same database. It is closed with the API. */
  openSecondPlatform(poolSize?: number): Promise<Platform>;
  close(): Promise<void>;
}

export async function startTestRestApi(
  environment: Readonly<Record<string, string>> = {},
): Promise<TestRestApi> {
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
    RATE_LIMITS: JSON.stringify(AMPLE_RATE_LIMITS),
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
    openSecondPlatform: async (poolSize = 10) => {
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

export interface KeyPair {
  readonly privateKey: Uint8Array;
  readonly publicKey: string;
}

/** Creates a key pair for one test. */
export function createKeyPair(): KeyPair {
  const privateKey = randomBytes(32);
  return { privateKey, publicKey: publicKeyOf(privateKey) };
}

/** Signs a request with a JSON body: a string is sent unchanged, other values are serialized. */
export function sendSigned(
  api: { port: number },
  { privateKey }: KeyPair,
  method: string,
  target: string,
  {
    body: given,
    headers,
  }: Pick<SendOptions, 'headers'> & { readonly body?: string | object | undefined } = {},
): Promise<TestResponse> {
  if (given === undefined) {
    return send(api, method, target, {
      headers: { ...signRequest({ method, path: target, privateKey }), ...headers },
    });
  }
  const body = typeof given === 'string' ? given : JSON.stringify(given);
  const signature = signRequest({ method, path: target, privateKey, body });
  return send(api, method, target, { body, headers: { ...signature, ...JSON_TYPE, ...headers } });
}

/** Returns the body that links the key, with a new challenge. */
export async function createIdentityBody(
  api: { port: number },
  holder: KeyPair,
  headers: SendOptions['headers'] = {},
): Promise<string> {
  const { json } = await send(api, 'GET', '/v1/auth/cli-challenge', { headers });
  const { challenge } = json.data as { challenge: string };
  const signature = signMessage(identityMessage(challenge, holder.publicKey), holder.privateKey);
  return JSON.stringify({ challenge, pubkey: holder.publicKey, signature });
}

/** Creates a user with a new account; returns the user's key pair. */
export async function openAccount(
  api: { port: number },
  sent: Readonly<Record<string, string>> = {},
): Promise<KeyPair> {
  const holder = createKeyPair();
  const body = await createIdentityBody(api, holder, sent);
  const headers = { ...JSON_TYPE, ...sent };
  const { status, text } = await send(api, 'POST', '/v1/auth/cli-identity', { body, headers });
  if (status !== 201) throw new Error(`no account was created: ${text}`);
  return holder;
}
