import type { FastifyInstance } from 'fastify';
import type { Config } from './config.js';
import type { Exchange } from './engine/exchange.js';
import { CONTRACTS } from './engine/futures/contracts.js';
import { FuturesExchange } from './engine/futures/futures-exchange.js';
import type { FuturesRecord } from './engine/futures/futures-records.js';
import { MarketMaker } from './market/maker.js';
import { spotMidOf } from './market/spot-reference.js';
import { MarketHistories } from './market-data/history.js';
import { MarkHistories } from './market-data/mark-history.js';
import type { Weather } from './weather/weather.js';
import type { FuturesContext } from './wire/futures/futures-context.js';
import { futuresOperationsOf } from './wire/futures/futures-operations.js';
import { FuturesKeyStreams, futuresListenKeyOperations } from './wire/futures/ws/futures-listen-keys.js';
import { FuturesMarketStreams } from './wire/futures/ws/futures-market-streams.js';
import { contractEvents } from './wire/futures/ws/futures-stream-views.js';
import { FuturesUserStreams } from './wire/futures/ws/futures-user-streams.js';
import { RateLimits } from './wire/limits.js';
import { ListenKeys } from './wire/listen-keys.js';
import { registerRest } from './wire/rest.js';
import { SocketApi } from './wire/ws/socket-api.js';
import { SocketSessions } from './wire/ws/socket-sessions.js';
import type { ConnectionRouter } from './wire/ws/stream-server.js';

/** The interval at which due fundings are paid, and expired listen keys are found. */
const CHECK_EVERY_MS = 1_000;

interface FuturesVenueOptions {
  readonly exchange: Exchange;
  readonly spotHistories: MarketHistories;
  readonly weather: Weather;
  readonly now: () => number;
  readonly persist: (record: FuturesRecord) => void;
  readonly splitLots: (lots: number) => readonly number[];
}

/** The futures side of the process, which shares accounts, journal and weather with spot. */
export interface FuturesVenue {
  readonly context: FuturesContext;
  readonly maker: MarketMaker;
  /** Whether fundings are paid by the clock. */
  readonly isFundingScheduled: boolean;
}

/** Restores the futures exchange, and creates what its routes and its market maker need. */
export function openFuturesVenue(config: Config, options: FuturesVenueOptions): FuturesVenue {
  const { exchange, now, weather, spotHistories } = options;
  const fees = { makerPpm: config.FUTURES_MAKER_PPM, takerPpm: config.FUTURES_TAKER_PPM };
  const futures = new FuturesExchange({ ...options, state: exchange.state.futures, fees });
  const limits = new RateLimits(
    {
      weightPerMinute: config.FUTURES_WEIGHT_PER_MINUTE,
      ordersPer10s: config.FUTURES_ORDERS_PER_10S,
      ordersPerMinute: config.FUTURES_ORDERS_PER_MINUTE,
    },
    now,
  );
  const context: FuturesContext = {
    futures,
    fees,
    exchange,
    histories: new MarketHistories(futures, CONTRACTS),
    spotHistories,
    markHistories: new MarkHistories(futures, now),
    weather,
    limits,
    now,
  };
  const maker = new MarketMaker(futures, config.SEED, now, {
    specs: CONTRACTS,
    reference: (spec) => spotMidOf(exchange, spec),
  });
  return { context, maker, isFundingScheduled: config.SCHEDULED_PAYMENTS === 'on' };
}

/**
 * Serves the futures operations, pays due fundings and ends expired user streams while the server runs. Returns the router
 * of the futures streams and of the WebSocket API of futures.
 */
export function registerFutures(
  app: FastifyInstance,
  { context, maker, isFundingScheduled }: FuturesVenue,
): ConnectionRouter {
  const listenKeys = new ListenKeys(context.now);
  const operations = [...futuresOperationsOf(context), ...futuresListenKeyOperations(listenKeys)];
  app.register(async (scope) => registerRest(scope, operations, context));
  const keyStreams = new FuturesKeyStreams(listenKeys, new FuturesUserStreams(context), context.now);
  const { futures, histories } = context;
  const streams = new FuturesMarketStreams(futures, histories, contractEvents(context), keyStreams);
  futures.fundDue(isFundingScheduled);
  const timer = setInterval(() => {
    futures.fundDue(isFundingScheduled);
    keyStreams.expire();
  }, CHECK_EVERY_MS).unref();
  app.addHook('preClose', async () => streams.close());
  app.addHook('onClose', async () => {
    clearInterval(timer);
    maker.stop();
  });
  const sessions = new SocketSessions(context.exchange.state, context.weather, context.now);
  const socketApi = new SocketApi(operations, context.limits, sessions, undefined);
  return (url, product) =>
    url.pathname === '/ws-fapi/v1' ? (peer) => socketApi.attach(peer) : streams.route(url, product);
}
