import type { World } from '@trading-automation/contracts';
import { Redis } from 'ioredis';
import { NonceEpoch } from '../access/index.js';
import { openPlatform } from '../database/index.js';
import { CredentialsSealer } from '../exchange-accounts/index.js';
import { assertNoEviction, type Platform, REDIS_FAILOVER_OPTIONS } from '../platform/index.js';
import { RequestRecorder } from '../request-log/index.js';
import { Sealer } from '../sealing/index.js';
import { WebhookSecrets } from '../webhooks/index.js';
import type { ApiSecrets } from './api-features.js';

/** The timeout of a Redis command. If a nonce cannot be recorded within it, the response is a 503. */
const REDIS_TIMEOUT_MS = 2_000;
/**
 * A backend keeps some megabytes for the tables and statements that it used, and a process waits for at most a few of its
 * statements at a time.
 */
const POOL_SIZE = 6;

export interface ApiInfrastructureOptions {
  readonly applicationName: string;
  readonly world: World;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Public keys of the trading worker and of the webhook dispatcher. */
  readonly sealingKeys: { readonly exchange: SealingKey; readonly webhook: SealingKey };
  readonly isLoopbackAllowed: boolean;
  /** Called for every lost connection; connections are re-established automatically. */
  readonly onConnectionLost: (to: 'notifications' | 'redis', error: unknown) => void;
  /** Called if the memory of nonces could not be compared; the comparison is repeated each second. */
  readonly onNoncesUnknown: (error: unknown) => void;
  /** Called with the number of requests that are missing in the request log. */
  readonly onRequestsLost: (count: number, error?: unknown) => void;
}

type SealingKey = Parameters<typeof Sealer.for>[0];

/** The connections and sealers of an API. The caller that opens them must close them. */
export interface ApiInfrastructure {
  readonly platform: Platform;
  readonly redis: Redis;
  /** What Redis must match to record nonces. */
  readonly nonces: NonceEpoch;
  readonly secrets: ApiSecrets;
  /** Writes requests to the request log. `close` writes the last ones. */
  readonly requestLog: RequestRecorder;
  close(): Promise<void>;
}

/**
 * Connects to Postgres and Redis. @throws if one of them is unreachable, Redis may evict keys, a migration is missing, or
 * a key is invalid
 */
export async function openApiInfrastructure(options: ApiInfrastructureOptions): Promise<ApiInfrastructure> {
  const { applicationName, world, databaseUrl, redisUrl, onConnectionLost, onNoncesUnknown } = options;
  await assertNoEviction(redisUrl);
  const secrets = await openSecrets(options);
  const platform = await openPlatform({
    world,
    databaseUrl,
    applicationName,
    poolSize: POOL_SIZE,
    onListenerError: (error) => onConnectionLost('notifications', error),
  });
  const redis = await connectRedis(redisUrl, (error) => onConnectionLost('redis', error));
  const nonces = await NonceEpoch.open(platform.database, redis, onNoncesUnknown);
  const requestLog = new RequestRecorder(platform, { onLost: options.onRequestsLost });
  const close = async () => {
    await requestLog.flush();
    await nonces.close();
    redis.disconnect();
    await platform.close();
  };
  return { platform, redis, nonces, secrets, requestLog, close };
}

/** Creates the sealers. @throws if a public key is invalid, or does not match its id */
async function openSecrets(options: ApiInfrastructureOptions): Promise<ApiSecrets> {
  const { sealingKeys, isLoopbackAllowed } = options;
  const [exchange, webhook] = await Promise.all([
    Sealer.for(sealingKeys.exchange),
    Sealer.for(sealingKeys.webhook),
  ]);
  return {
    exchange: new CredentialsSealer(exchange),
    webhook: new WebhookSecrets(webhook, isLoopbackAllowed),
  };
}

/** Fails fast while Redis is unavailable: commands reject instead of queuing, and requests get a 503. */
async function connectRedis(url: string, onError: (error: unknown) => void): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    commandTimeout: REDIS_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    ...REDIS_FAILOVER_OPTIONS,
  });
  redis.on('error', onError);
  await redis.connect();
  return redis;
}
