/** Starts the complete API in the process of the test, with a database of its own. */
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
  /** Opens a second platform on the same database, as another process would. `close` closes it, too. */
  openSecondPlatform(poolSize?: number): Promise<Platform>;
  /** Stops the API; its database stays. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** The server key of every API under test. */
export const SERVER_KEY = createHash('sha256').update('server key').digest();

export async function startTestRestApi(
  environment: Readonly<Record<string, string>> = {},
): Promise<TestRestApi> {
  const database = await createCoreDatabase(environment.WORLD === 'live' ? 'live' : 'test');
  const sealingKey = async () => {
    const { id, publicKey } = await generateSealingKeyPair();
    return `${id}.${publicKey}`;
  };
  const config = readConfig(configSchema, {
    WORLD: 'test',
    DATABASE_URL: database.url,
    REDIS_URL: process.env.TEST_REDIS_URL,
    SERVER_KEYS: SERVER_KEY.toString('base64url'),
    EXCHANGE_SEALING_KEY: await sealingKey(),
    WEBHOOK_SEALING_KEY: await sealingKey(),
    OPEN_REGISTRATION: 'true',
    RATE_LIMITS: JSON.stringify(AMPLE_RATE_LIMITS),
    ...environment,
  });
  const log: string[] = [];
  const logger = createLogger('rest-api', 'debug', { write: (line) => void log.push(line) });
  const started = await startRestApi(config, '1.2.3', logger);
  const { url } = started;
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= started.stop();
    return stopped;
  };
  const secondPlatforms: Platform[] = [];
  return {
    port: Number(new URL(url).port),
    url,
    databaseUrl: database.url,
    log,
    openSecondPlatform: async (poolSize = 10) => {
      const platform = await openPlatform({
        world: config.WORLD,
        databaseUrl: database.url,
        applicationName: 'rest-api-spec',
        poolSize,
        onListenerError: () => undefined,
      });
      secondPlatforms.push(platform);
      return platform;
    },
    stop,
    close: async () => {
      await Promise.all(secondPlatforms.map((platform) => platform.close()));
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

/** Sends a signed request. A string body is sent unchanged; any other body is sent as JSON. */
export function sendSigned(
  api: { port: number },
  { privateKey }: KeyPair,
  method: string,
  target: string,
  {
    body: value,
    headers,
  }: Pick<SendOptions, 'headers'> & { readonly body?: string | object | undefined } = {},
): Promise<TestResponse> {
  if (value === undefined) {
    return send(api, method, target, {
      headers: { ...signRequest({ method, path: target, privateKey }), ...headers },
    });
  }
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  const signature = signRequest({ method, path: target, privateKey, body });
  return send(api, method, target, { body, headers: { ...signature, ...JSON_TYPE, ...headers } });
}

/** Gets a new challenge. Returns the body of the request that links the key pair. */
export async function createIdentityBody(
  api: { port: number },
  keyPair: KeyPair,
  headers: SendOptions['headers'] = {},
): Promise<string> {
  const { json } = await send(api, 'GET', '/v1/auth/cli-challenge', { headers });
  const { challenge } = json.data as { challenge: string };
  const signature = signMessage(identityMessage(challenge, keyPair.publicKey), keyPair.privateKey);
  return JSON.stringify({ challenge, pubkey: keyPair.publicKey, signature });
}

/** Creates a user with a new account. Returns the user's key pair. */
export async function openAccount(
  api: { port: number },
  additionalHeaders: Readonly<Record<string, string>> = {},
): Promise<KeyPair> {
  const keyPair = createKeyPair();
  const body = await createIdentityBody(api, keyPair, additionalHeaders);
  const headers = { ...JSON_TYPE, ...additionalHeaders };
  const { status, text } = await send(api, 'POST', '/v1/auth/cli-identity', { body, headers });
  if (status !== 201) throw new Error(`no account was created: ${text}`);
  return keyPair;
}
