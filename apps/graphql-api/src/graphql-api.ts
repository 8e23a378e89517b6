import { NestFactory } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Platform, startHeartbeat } from '@trading-automation/core';
import { pickEngine } from '@trading-automation/core/access';
import { openApiInfrastructure } from '@trading-automation/core/api';
import { BookFeed, BookStreams, marketDataPrefix } from '@trading-automation/core/market-data';
import { type Logger, nestLogger, type RunningProcess } from '@trading-automation/runtime';
import { addressReader, createAdapter } from '@trading-automation/runtime/http';
import { AppModule } from './app.module.js';
import type { Config } from './config.js';
import { EndpointOptions } from './server/endpoint-factory.js';
import { BODY_BYTES_MAX } from './server/http-endpoint.js';
import type { SocketEndpointDependencies } from './server/socket-endpoint.js';

export interface GraphqlApi extends RunningProcess {
  readonly url: string;
  /** The platform of the API, for tests that count its database queries. */
  readonly platform: Platform;
}

/** Starts the API. `stop` completes the requests in flight, closes the sockets, then closes the infrastructure. */
export async function startGraphqlApi(
  config: Config,
  version: string,
  logger: Logger,
  socketTiming?: SocketEndpointDependencies['timing'],
): Promise<GraphqlApi> {
  const { engine, passedOver } = pickEngine();
  logger.info(
    { event: 'signature_engine.selected', engine: engine.name, passed_over: passedOver },
    'Selected the signature engine.',
  );
  const infrastructure = await openApiInfrastructure({
    applicationName: 'graphql-api',
    world: config.WORLD,
    databaseUrl: config.DATABASE_URL,
    redisUrl: config.REDIS_URL,
    sealingKeys: { exchange: config.EXCHANGE_SEALING_KEY, webhook: config.WEBHOOK_SEALING_KEY },
    isLoopbackAllowed: config.WEBHOOK_ALLOW_LOOPBACK,
    onConnectionLost: (to, error) => {
      if (to === 'redis')
        logger.warn(
          { event: 'redis.connection_lost', err: error },
          'The connection to Redis is lost; reconnecting.',
        );
      else
        logger.warn(
          { event: 'listener.connection_lost', err: error },
          'The notification connection to Postgres is lost; reconnecting.',
        );
    },
  });
  const { TRUSTED_PROXIES, CORS_ORIGINS } = config;
  const onFeedError = (error: unknown) =>
    logger.warn({ event: 'market_data.interrupted', err: error }, 'Market data is interrupted.');
  const feed = new BookFeed({
    redisUrl: config.REDIS_URL,
    prefix: marketDataPrefix(config.WORLD),
    onError: onFeedError,
  });
  const books = new BookStreams(feed, onFeedError);
  let listensAt = '';
  const publicUrl = () => config.PUBLIC_URL ?? listensAt;
  const edge = new EndpointOptions(logger, addressReader(TRUSTED_PROXIES), config.GRAPHIQL, socketTiming);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with({
      config,
      version,
      infrastructure,
      engine,
      publicUrl,
      books,
      endpoints: edge,
    }),
    createAdapter({
      trustedProxies: TRUSTED_PROXIES,
      corsOrigins: CORS_ORIGINS,
      bodyBytesMax: BODY_BYTES_MAX,
    }),
    { bodyParser: false, logger: nestLogger(logger), abortOnError: false },
  );
  await app.listen(config.PORT, config.HOST);
  listensAt = await app.getUrl();
  const endHeartbeat = startHeartbeat(infrastructure.platform, 'graphql-api');
  return {
    url: listensAt,
    platform: infrastructure.platform,
    stop: async () => {
      // Close the sockets before their sources end: a client does not resubscribe after a `complete` message.
      await app.get(GraphQLModule).graphQlAdapter.stop();
      books.close();
      await app.close();
      endHeartbeat();
      feed.close();
      await infrastructure.close();
    },
  };
}
