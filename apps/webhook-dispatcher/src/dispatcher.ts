import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { assertNoEviction, openPlatform, type Platform, startHeartbeat } from '@trading-automation/core';
import { Opener } from '@trading-automation/core/sealing';
import { DeliverySettings, WebhookBacklog } from '@trading-automation/core/webhooks';
import { type Logger, nestLogger, type RunningProcess } from '@trading-automation/runtime';
import { Registry } from 'prom-client';
import { AppModule } from './app.module.js';
import { startBackgroundTasks } from './background-tasks.js';
import type { Config } from './config.js';
import { AttemptQueue } from './delivery/attempt-queue.js';
import { OutboundClient } from './delivery/outbound-client.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { DeliveryCounters } from './metrics/delivery-counters.js';
import { startMetrics } from './metrics/metrics.js';

const SERVICE = 'webhook-dispatcher';

/** Starts the dispatcher. Returns the handle that stops it. */
export async function startDispatcher(config: Config, logger: Logger): Promise<RunningProcess> {
  await assertNoEviction(config.REDIS_URL);
  const platform = await connectPlatform(config, logger);
  const registry = new Registry();
  const counters = new DeliveryCounters(registry);
  const client = outboundClient(config);
  const sender = new WebhookSender(await Opener.with(config.WEBHOOK_OPENING_KEYS), client, logger);
  const module = AppModule.with({
    platform,
    logger,
    settings: deliverySettings(config),
    sender,
    counters,
    redisUrl: config.REDIS_URL,
    queuePrefix: `${config.QUEUE_PREFIX}-${config.WORLD}`,
  });
  const app = await NestFactory.createApplicationContext(module, {
    logger: nestLogger(logger),
    abortOnError: false,
  });
  const queue = app.get(AttemptQueue);
  // Open the metrics port first, because the start must fail if the port is in use.
  const metrics = await serveMetrics(config, { registry, queue, platform, logger });
  const work = startBackgroundTasks(app, { config, sender, counters, logger });
  const stopHeartbeat = startHeartbeat(platform, SERVICE);

  return {
    async stop() {
      stopHeartbeat();
      await metrics.stop();
      const isDrained = await Promise.race([
        work.drain().then(() => true),
        sleep(config.STOP_GRACE_MS, false, { ref: false }),
      ]);
      // Attempts that exceed the grace period are abandoned. This dispatcher releases their leases when it stops, so
      // that another one sends them again.
      if (!isDrained)
        logger.warn(
          { event: 'attempts.abandoned', grace_ms: config.STOP_GRACE_MS },
          'Attempts outlasted the grace period; another dispatcher sends them again.',
        );
      client.close();
      await work.close();
      // Close the application only now, because it closes the queues, to which the background tasks still added jobs.
      // Skip it if attempts were abandoned, because it would wait for them.
      if (isDrained) await app.close();
      await queue.close();
      await platform.close();
    },
  };
}

function connectPlatform(config: Config, logger: Logger): Promise<Platform> {
  return openPlatform({
    world: config.WORLD,
    databaseUrl: config.DATABASE_URL,
    applicationName: SERVICE,
    poolSize: 16,
    onListenerError: (error) =>
      logger.warn(
        { event: 'listener.connection_lost', err: error },
        'The notification connection to Postgres is lost; reconnecting.',
      ),
  });
}

function outboundClient(config: Config): OutboundClient {
  return new OutboundClient({
    allowLoopback: config.WEBHOOK_ALLOW_LOOPBACK,
    requireHttps: config.WORLD === 'live',
    timeoutMs: config.ATTEMPT_TIMEOUT_MS,
    ...(config.DNS_SERVERS === undefined ? {} : { dnsServers: config.DNS_SERVERS }),
  });
}

function deliverySettings(config: Config): DeliverySettings {
  return new DeliverySettings(config.LEASE_MS, config.RETRY_DELAYS_MS, {
    perWebhookMax: config.WEBHOOK_IN_FLIGHT_MAX,
    perUserMax: config.USER_IN_FLIGHT_MAX,
    heartbeatTimeoutMs: config.SILENCE_MS,
  });
}

interface MetricsDependencies {
  readonly registry: Registry;
  readonly queue: AttemptQueue;
  readonly platform: Platform;
  readonly logger: Logger;
}

function serveMetrics(
  config: Config,
  { registry, queue, platform, logger }: MetricsDependencies,
): Promise<{ stop(): Promise<void> }> {
  return startMetrics({
    port: config.METRICS_PORT,
    host: config.METRICS_HOST,
    registry,
    backlog: new WebhookBacklog(platform),
    queue,
    onError: (error) =>
      logger.warn({ event: 'metrics.unavailable', err: error }, 'Some metrics could not be read.'),
  });
}
