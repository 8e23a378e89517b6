import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { assertNoEviction, openPlatform } from '@trading-automation/core';
import { Opener } from '@trading-automation/core/sealing';
import { createVenue } from '@trading-automation/exchanges/ccxt';
import { createLogger, nestLogger, readConfig, runProcess } from '@trading-automation/runtime';
import { AppModule } from './app.module.js';
import { configSchema } from './config.js';
import { Desks } from './desk/desks.js';

const NAME = 'trading-worker';

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
    const venues = config.VENUES.map(createVenue);
    const surroundings = { config, logger, platform, opener, venues };
    const app = await NestFactory.createApplicationContext(AppModule.in(surroundings), {
      logger: nestLogger(logger),
      abortOnError: false,
    });
    const desks = app.get(Desks);
    logger.info({ instance: platform.instance, exchanges: venues.map(({ id }) => id) }, 'ready');
    return {
      async stop() {
        await app.close();
        await desks.close();
        await platform.close();
      },
    };
  },
});
