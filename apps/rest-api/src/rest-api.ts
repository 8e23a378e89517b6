import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { assertNoEviction, FAILOVER, openPlatform, startHeartbeat } from '@trading-automation/core';
import { pickEngine, RateLimiter } from '@trading-automation/core/access';
import { ExchangeSecrets } from '@trading-automation/core/exchange-accounts';
import { Sealer } from '@trading-automation/core/sealing';
import { WebhookSecrets } from '@trading-automation/core/webhooks';
import { type Logger, nestLogger, type RunningProcess } from '@trading-automation/runtime';
import { Redis } from 'ioredis';
import { AppModule, type Secrets } from './app.module.js';
import type { Config } from './config.js';
import { createAdapter } from './http/server.js';
import { serveReference } from './reference/serve-reference.js';

/** How long a request waits for Redis at most; a nonce that can't be recorded by then is a 503. */
const REDIS_TIMEOUT_MS = 2_000;

export interface RestApi extends RunningProcess {
  readonly url: string;
}

/** Starts the API. Stopping it answers the requests under way, then lets go of what it stands on. */
export async function startRestApi(config: Config, version: string, logger: Logger): Promise<RestApi> {
  const { engine, passedOver } = pickEngine();
  logger.info({ engine: engine.name, passed_over: passedOver }, 'signature engine picked');
  await assertNoEviction(config.REDIS_URL);
  const secrets = await openSecrets(config);
  const platform = await openPlatform({
    world: config.WORLD,
    databaseUrl: config.DATABASE_URL,
    applicationName: 'rest-api',
    onListenerError: (error) => logger.warn({ err: error }, 'the notification connection is down'),
  });
  const redis = await connectRedis(config.REDIS_URL, logger);
  let listensAt = '';
  const publicUrl = () => config.PUBLIC_URL ?? listensAt;
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.of({ config, version, platform, redis, engine, secrets, publicUrl, logger }),
    createAdapter({ trustedProxies: config.TRUSTED_PROXIES, corsOrigins: config.CORS_ORIGINS }),
    { bodyParser: false, logger: nestLogger(logger), abortOnError: false },
  );
  const limiter = app.get(RateLimiter, { strict: false });
  serveReference(app.getHttpAdapter().getInstance(), limiter.of(undefined));
  await app.listen(config.PORT, config.HOST);
  listensAt = await app.getUrl();
  const endHeartbeat = startHeartbeat(platform, 'rest-api');
  return {
    url: listensAt,
    stop: async () => {
      await app.close();
      endHeartbeat();
      redis.disconnect();
      await platform.close();
    },
  };
}

/** @throws where a public key is none, or is not the one its id names */
async function openSecrets(config: Config): Promise<Secrets> {
  const [exchange, webhook] = await Promise.all([
    Sealer.for(config.EXCHANGE_SEALING_KEY),
    Sealer.for(config.WEBHOOK_SEALING_KEY),
  ]);
  return {
    exchange: new ExchangeSecrets(exchange),
    webhook: new WebhookSecrets(webhook, config.WEBHOOK_ALLOW_LOOPBACK),
  };
}

/** Fails fast while Redis is away: a request is answered with 503 rather than queued. */
async function connectRedis(url: string, logger: Logger): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    commandTimeout: REDIS_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    ...FAILOVER,
  });
  redis.on('error', (error) => logger.warn({ err: error }, 'redis is away'));
  await redis.connect();
  return redis;
}
