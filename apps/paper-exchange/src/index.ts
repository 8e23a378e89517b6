import type { AddressInfo } from 'node:net';
import { routedTarget } from '@trading-automation/runtime/request-target';
import fastify, { type FastifyInstance } from 'fastify';
import { registerAdmin } from './admin.js';
import type { Config } from './config.js';
import { Exchange } from './engine/exchange.js';
import { splitInThree } from './engine/split-order.js';
import { openFuturesVenue, registerFutures } from './futures-venue.js';
import { Journal } from './journal.js';
import { MarketMaker } from './market/maker.js';
import { MarketHistories } from './market-data/history.js';
import { seededRandom } from './random.js';
import { Weather } from './weather/weather.js';
import { RateLimits } from './wire/limits.js';
import { ListenKeys } from './wire/listen-keys.js';
import { MarginListenTokens } from './wire/margin/listen-tokens.js';
import type { Operation, VenueContext } from './wire/operation.js';
import { operationsOf } from './wire/operations.js';
import { registerRest } from './wire/rest.js';
import { refuseInvalidHosts, refuseUnknownRoutes, setVenueErrorHandler } from './wire/venue-hooks.js';
import { ListenKeyStreams } from './wire/ws/listen-key-streams.js';
import { MarketStreams } from './wire/ws/market-streams.js';
import { SocketApi, SocketUserStreams } from './wire/ws/socket-api.js';
import { SocketSessions } from './wire/ws/socket-sessions.js';
import { type ConnectionRouter, StreamServer } from './wire/ws/stream-server.js';
import { UserStreams } from './wire/ws/user-streams.js';

export { type Config, configSchema } from './config.js';

/** The interval at which the interest of margin loans is charged if an hour has begun. */
const INTEREST_CHECK_EVERY_MS = 1_000;

/** Starts the exchange on `HOST:PORT` and resolves once it accepts requests. `close` may be called more than once. */
export async function startPaperExchange(
  config: Config,
): Promise<{ url: string; close: () => Promise<void> }> {
  const components = openExchange(config);
  const app = fastify({
    forceCloseConnections: true,
    // `refuseInvalidHosts` refuses a missing host, in the venue's format.
    http: { requireHostHeader: false },
    rewriteUrl: ({ url }) => routedTarget(url ?? ''),
  });
  // The venue reads a form, whatever its content type is called. Some clients send an empty JSON body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_req, body, done) => done(null, body));
  setVenueErrorHandler(app);
  refuseInvalidHosts(app);
  refuseUnknownRoutes(app);
  const listenKeys = new ListenKeys(components.now);
  const listenTokens = new MarginListenTokens(components.now);
  const operations = operationsOf(components, listenKeys, listenTokens);
  app.register(async (scope) => registerRest(scope, operations, components));
  const futuresRouter = registerFutures(app, components.venue);
  const spotRouter = addSpotStreams(app, components, operations, { listenKeys, listenTokens });
  const router: ConnectionRouter = (url, product) =>
    futuresRouter(url, product) ?? (product === 'futures' ? undefined : spotRouter(url, product));
  const streams = new StreamServer(app.server, router, components.weather);
  app.addHook('preClose', async () => streams.close());
  registerAdmin(app, { ...components, streams, token: config.ADMIN_TOKEN });
  app.addHook('onClose', async () => {
    components.maker.stop();
    components.journal.close();
  });
  if (config.SCHEDULED_PAYMENTS === 'on') scheduleInterest(app, components.exchange.margin);
  await app.listen({ host: config.HOST, port: config.PORT });
  if (config.MARKET === 'on') {
    components.maker.start();
    components.venue.maker.start();
  }
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://${config.HOST}:${port}`, close: () => app.close() };
}

/** Charges the interest of margin loans at each hour, until the server closes. */
function scheduleInterest(app: FastifyInstance, margin: Exchange['margin']): void {
  const timer = setInterval(() => margin.chargeDue(), INTEREST_CHECK_EVERY_MS).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

/** Restores the exchange from `DATA_DIR` and creates the objects that the servers use. */
function openExchange(config: Config) {
  const now = Date.now;
  const journal = openJournal(config.DATA_DIR);
  const fees = { makerPpm: config.FEE_PPM, takerPpm: config.FEE_PPM };
  const weather = new Weather(seededRandom(config.SEED), now);
  const splitLots = (lots: number) => (weather.applies('partial_fill_rate') ? splitInThree(lots) : [lots]);
  const exchange = new Exchange({
    state: journal.state,
    fees,
    now,
    persist: (record) => journal.append(record),
    splitLots,
  });
  const limits = new RateLimits(
    {
      weightPerMinute: config.WEIGHT_PER_MINUTE,
      ordersPer10s: config.ORDERS_PER_10S,
      ordersPerDay: config.ORDERS_PER_DAY,
    },
    now,
  );
  const histories = new MarketHistories(exchange);
  const maker = new MarketMaker(exchange, config.SEED, now);
  const venue = openFuturesVenue(config, {
    exchange,
    spotHistories: histories,
    weather,
    now,
    persist: (futures) => journal.append({ futures }),
    splitLots,
  });
  return { journal, exchange, histories, maker, weather, limits, fees, now, venue };
}

function openJournal(directory: string): Journal {
  try {
    return new Journal(directory);
  } catch (error) {
    const reason = (error as Error).message;
    throw new Error(
      `The files in DATA_DIR (${directory}) cannot be used: ${reason}. Set DATA_DIR to a folder that this process may write.`,
      { cause: error },
    );
  }
}

/** Returns the router of the spot streams and of the WebSocket API. */
function addSpotStreams(
  app: FastifyInstance,
  context: VenueContext,
  operations: readonly Operation[],
  {
    listenKeys,
    listenTokens,
  }: { readonly listenKeys: ListenKeys; readonly listenTokens: MarginListenTokens },
): ConnectionRouter {
  const userStreams = new UserStreams(context);
  const marketStreams = new MarketStreams({
    ...context,
    listenKeyStreams: new ListenKeyStreams(listenKeys, userStreams),
  });
  const socketApi = new SocketApi(
    operations,
    context.limits,
    new SocketSessions(context.exchange.state, context.weather, context.now),
    new SocketUserStreams(userStreams, listenTokens),
  );
  app.addHook('preClose', async () => marketStreams.close());
  return (url) =>
    url.pathname === '/ws-api/v3' ? (peer) => socketApi.attach(peer) : marketStreams.route(url);
}
