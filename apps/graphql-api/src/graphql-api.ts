import { NestFactory } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Platform, startHeartbeat } from '@trading-automation/core';
import { pickEngine } from '@trading-automation/core/access';
import { type ApiInfrastructure, openApiInfrastructure } from '@trading-automation/core/api';
import { BookFeed, BookStreams, marketDataPrefix } from '@trading-automation/core/market-data';
import { type Logger, nestLogger, type RunningProcess } from '@trading-automation/runtime';
import { createAdapter } from '@trading-automation/runtime/http';
import { AppModule } from './app.module.js';
import type { Config } from './config.js';
import { EndpointOptions, type SocketEndpointTiming } from './server/endpoint-options.js';
import { BODY_BYTES_MAX } from './server/http-endpoint.js';

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
  socketTiming?: SocketEndpointTiming,
): Promise<GraphqlApi> {
  const { engine, passedOver } = pickEngine();
  logger.info(
    { event: 'signature_engine.selected', engine: engine.name, passed_over: passedOver },
    'Selected the signature engine.',
  );
  const infrastructure = await openInfrastructure(config, logger);
  const { books, closeFeed } = openBooks(config, logger);
  let listensAt = '';
  const { TRUSTED_PROXIES, CORS_ORIGINS } = config;
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with({
      config,
      version,
      infrastructure,
      engine,
      publicUrl: () => config.PUBLIC_URL ?? listensAt,
      books,
      endpoints: new EndpointOptions(logger, config.GRAPHIQL, socketTiming),
    }),
    createAdapter({
      trustedProxies: TRUSTED_PROXIES,
      corsOrigins: CORS_ORIGINS,
      bodyBytesMax: BODY_BYTES_MAX,
      recordRequest: infrastructure.requestLog.record,
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
      // Close the sockets before their event sources. The end of a source would send `complete`, after which a client
      // does not resubscribe.
      await app.get(GraphQLModule).graphQlAdapter.stop();
      books.close();
      await app.close();
      endHeartbeat();
      closeFeed();
      await infrastructure.close();
    },
  };
}

function openInfrastructure(config: Config, logger: Logger): Promise<ApiInfrastructure> {
  return openApiInfrastructure({
    applicationName: 'graphql-api',
    world: config.WORLD,
    databaseUrl: config.DATABASE_URL,
    redisUrl: config.REDIS_URL,
    sealingKeys: { exchange: config.EXCHANGE_SEALING_KEY, webhook: config.WEBHOOK_SEALING_KEY },
    isLoopbackAllowed: config.WEBHOOK_ALLOW_LOOPBACK,
    onConnectionLost: (service, error) => {
      if (service === 'redis')
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
    onNoncesUnknown: (error) =>
      logger.warn(
        { event: 'nonces.unknown', err: error },
        'Could not compare the nonces in Redis with Postgres; signed requests may be refused.',
      ),
    onRequestsLost: (count, error) =>
      logger.warn(
        { event: 'request_log.lost', requests: count, err: error },
        'Requests are missing in the request log.',
      ),
  });
}

/** Opens the order books that the trading worker publishes in Redis. */
function openBooks(config: Config, logger: Logger) {
  const onError = (error: unknown) =>
    logger.warn({ event: 'market_data.interrupted', err: error }, 'Market data is interrupted.');
  const feed = new BookFeed({
    redisUrl: config.REDIS_URL,
    prefix: marketDataPrefix(config.WORLD),
    onError,
  });
  return { books: new BookStreams(feed, onError), closeFeed: () => feed.close() };
}
