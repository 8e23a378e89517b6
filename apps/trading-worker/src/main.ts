// Must be first: the other imports may throw.
import '@trading-automation/runtime/early';
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { assertNoEviction, openPlatform } from '@trading-automation/core';
import { Opener } from '@trading-automation/core/sealing';
import { oldestReconciliationAge } from '@trading-automation/core/trades';
import { createVenue, LocalBudget, limitsByBudget } from '@trading-automation/exchanges/ccxt';
import { createLogger, type Logger, nestLogger, readConfig, runProcess } from '@trading-automation/runtime';
import { Registry } from 'prom-client';
import { AppModule } from './app.module.js';
import { RedisCallBudget } from './budgets/redis-call-budget.js';
import { RedisNonces } from './budgets/redis-nonces.js';
import { type Config, configSchema } from './config.js';
import { ExchangeGateway } from './exchange/exchange-gateway.js';
import { Venues } from './exchange/venues.js';
import { CountedBudget, startMetrics } from './metrics/worker-metrics.js';

const NAME = 'trading-worker';

/** Opens the call budget that all workers share. Trading continues while Redis is unavailable. */
async function openBudget(config: Config, logger: Logger): Promise<RedisCallBudget> {
  const limits = new Map(config.VENUES.flatMap((venue) => [...limitsByBudget(venue)]));
  const budget = new RedisCallBudget(
    { redisUrl: config.REDIS_URL, prefix: `trading-${config.WORLD}` },
    (venue) => {
      const venueLimits = limits.get(venue);
      if (venueLimits === undefined) throw new Error(`Exchange "${venue}" is not configured.`);
      return venueLimits;
    },
    (workerLimits) => new LocalBudget(workerLimits),
    (error) =>
      logger.warn(
        { event: 'call_budget.unavailable', err: error },
        'Redis is unavailable; this worker uses its own part of the call budgets.',
      ),
  );
  await budget.ready();
  return budget;
}

/** Opens the nonces that all workers share. It connects only if a venue needs them. */
function openNonces(config: Config, logger: Logger): RedisNonces {
  const settings = { redisUrl: config.REDIS_URL, prefix: `trading-${config.WORLD}` };
  return new RedisNonces(settings, (error) =>
    logger.warn(
      { event: 'nonces.unavailable', err: error },
      'Redis is unavailable; the nonces of exchanges follow the clock of this worker.',
    ),
  );
}

await runProcess({
  logger: createLogger(NAME),
  start: async () => {
    const config = readConfig(configSchema);
    const logger = createLogger(NAME, config.LOG_LEVEL);
    await assertNoEviction(config.REDIS_URL);
    const platform = await openPlatform({
      world: config.WORLD,
      databaseUrl: config.DATABASE_URL,
      applicationName: NAME,
      poolSize: 20,
      statementTimeoutMs: 8_000,
      onListenerError: (error) =>
        logger.warn(
          { event: 'listener.connection_lost', err: error },
          'The notification connection to Postgres is lost; reconnecting.',
        ),
    });
    const opener = await Opener.with(config.EXCHANGE_OPENING_KEYS);
    const budget = await openBudget(config, logger);
    const nonces = openNonces(config, logger);
    const registry = new Registry();
    const counted = new CountedBudget(budget, registry);
    const venues = new Venues(
      config.VENUES.map((venue) => createVenue(venue, { budget: counted, nonces })),
      opener,
      budget,
    );
    const context = { config, logger, platform, venues, budget };
    const app = await NestFactory.createApplicationContext(AppModule.with(context), {
      logger: nestLogger(logger),
      abortOnError: false,
    });
    const gateway = app.get(ExchangeGateway);
    const { ownership, accounts } = gateway;
    const metrics = await startMetrics({
      port: config.METRICS_PORT,
      host: config.METRICS_HOST,
      registry,
      states: () => accounts.streams.health(),
      oldestReconciliationAge: () =>
        oldestReconciliationAge(platform.database, [...ownership.ownedAccounts().keys()]),
      onError: (error) =>
        logger.warn({ event: 'metrics.unavailable', err: error }, 'Some metrics could not be read.'),
    });
    logger.info(
      { event: 'process.ready', instance: platform.instance, exchanges: venues.all.map(({ id }) => id) },
      'ready',
    );
    return {
      async stop() {
        await metrics?.stop();
        await app.close();
        await gateway.close();
        budget.close();
        nonces.close();
        await platform.close();
      },
    };
  },
});
