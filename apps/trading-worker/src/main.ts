import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { assertNoEviction, openPlatform } from '@trading-automation/core';
import { Opener } from '@trading-automation/core/sealing';
import { createVenue, LocalBudget, limitsOf } from '@trading-automation/exchanges/ccxt';
import { createLogger, type Logger, nestLogger, readConfig, runProcess } from '@trading-automation/runtime';
import { AppModule } from './app.module.js';
import { RedisCallBudget } from './budgets/redis-call-budget.js';
import { type Config, configSchema } from './config.js';
import { ExchangeGateway } from './exchange/exchange-gateway.js';

const NAME = 'trading-worker';

/** What the exchanges allow all workers together; a Redis that is away keeps nobody from trading. */
async function openBudget(config: Config, logger: Logger): Promise<RedisCallBudget> {
  const limits = new Map(config.VENUES.map((venue) => [venue.id, limitsOf(venue)]));
  const budget = new RedisCallBudget({
    redisUrl: config.REDIS_URL,
    prefix: `trading-${config.WORLD}`,
    limitsOf(venue) {
      const known = limits.get(venue);
      if (known === undefined) throw new Error(`no exchange ${venue}`);
      return known;
    },
    createFallback: (part) => new LocalBudget(part),
    onError: (error) => logger.warn({ err: error }, 'call budgets are not shared'),
  });
  await budget.ready();
  return budget;
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
      onListenerError: (error) => logger.warn({ err: error }, 'notifications do not arrive'),
    });
    const opener = await Opener.with(config.EXCHANGE_OPENING_KEYS);
    const budget = await openBudget(config, logger);
    const venues = config.VENUES.map((venue) => createVenue(venue, { budget }));
    const surroundings = { config, logger, platform, opener, venues, budget };
    const app = await NestFactory.createApplicationContext(AppModule.with(surroundings), {
      logger: nestLogger(logger),
      abortOnError: false,
    });
    const desks = app.get(ExchangeGateway);
    logger.info({ instance: platform.instance, exchanges: venues.map(({ id }) => id) }, 'ready');
    return {
      async stop() {
        await app.close();
        await desks.close();
        budget.close();
        await platform.close();
      },
    };
  },
});
