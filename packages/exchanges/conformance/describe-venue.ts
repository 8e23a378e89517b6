/** Runs the conformance suites for every trading type of a venue, on the scripted exchange in its dialect. */
import type { TradingType } from '@trading-automation/contracts';
import { createVenue, venueConfig } from '../src/ccxt/index.js';
import type { ExchangeCredentials } from '../src/index.js';
import { declarationOf } from '../src/venues/index.js';
import type { ControlledVenueUnderTest } from './conformance-fixture.js';
import type { Dialect } from './scripted/dialect.js';
import { type Account, REFUSALS } from './scripted/model.js';
import { type Recordings, readRecordings } from './scripted/recordings.js';
import type { ScriptedExchange } from './scripted/scripted-exchange.js';
import { ScriptedServer } from './scripted/scripted-server.js';
import { describeBalances } from './suite-balances.js';
import { describeFailures } from './suite-failures.js';
import { describeLiveChecks } from './suite-live.js';
import { describeMargin } from './suite-margin.js';
import { describeOrders } from './suite-orders.js';
import { describePerpetual } from './suite-perpetual.js';
import { describeStreams } from './suite-streams.js';

/** @param folder the URL of the venue's folder */
export function describeVenue(dialect: Dialect, folder: string): void {
  const recordings = readRecordings(new URL('dialect/recordings.json', folder));
  for (const tradingType of Object.keys(declarationOf(dialect.venue)?.tradingTypes ?? {}) as TradingType[]) {
    const name = `${dialect.venue} ${tradingType}`;
    const setup = () => startScripted(dialect, recordings, tradingType);
    describeOrders(name, setup);
    if (tradingType !== 'perpetual') describeBalances(name, setup);
    else describePerpetual(name, setup);
    if (tradingType === 'margin') describeMargin(name, setup);
    describeStreams(name, setup);
    const refusals = REFUSALS.filter((kind) => dialect.refuse(kind, { path: '', tradingType }) !== undefined);
    describeFailures(name, refusals, setup);
    describeLiveChecks(name, setup);
  }
}

async function startScripted(
  dialect: Dialect,
  recordings: Recordings,
  tradingType: TradingType,
): Promise<ControlledVenueUnderTest> {
  const server = await ScriptedServer.start(dialect, recordings, tradingType);
  const { exchange } = server;
  const { venue: id, traits } = dialect;
  // The scripted exchange has no rate limits, and a test makes more calls than an account may make at once.
  const limits = { accountWeight: 1_000 };
  const venue = createVenue(
    venueConfig.parse({ id, name: id, adapter: id, tradingTypes: [tradingType], url: server.url, limits }),
  );
  const [market, other] = exchange.markets;
  if (market === undefined || other === undefined) throw new Error('the dialect has fewer than two markets');
  return {
    venue,
    tradingType,
    traits: { ...exchange.settings, ...traits, ...dialect.traitsFor?.(tradingType) },
    symbol: market.symbol,
    otherSymbol: other.symbol,
    quote: market.quote,
    rules: {
      priceTick: market.tick,
      amountStep: market.step,
      minAmount: market.minAmount,
      minNotional: market.minNotional,
    },
    orderTypes: declarationOf(id)?.tradingTypes[tradingType]?.orderTypes ?? [],
    openAccount: async ({ USDT, ...others }) =>
      exchange.openAccount({ ...others, ...(USDT !== undefined && { [market.quote]: USDT }) }),
    setMarkPrice: async (price) => exchange.setMarkPrice(market, price),
    payFunding: async (rate) => exchange.payFunding(market, rate),
    chargeInterest: async (asset, rate) => exchange.chargeInterest(asset, rate),
    forceClose: async (credentials, { amount, price, cause }) => {
      exchange.forceClose(accountOf(exchange, credentials), market, { amount, price, cause });
      return { amount, price };
    },
    changeAccount: async (credentials, change) => {
      Object.assign(accountOf(exchange, credentials), change);
    },
    clockReads: () => server.requests.filter((request) => request === server.clockRoute).length,
    setWeather: (weather) => {
      server.weather = weather;
    },
    loseBookMessage: () => {
      server.losesBookMessage = true;
    },
    cutStreams: async () => server.cutStreams(),
    close: async () => {
      await venue.close();
      await server.close();
      expect(server.problems).toEqual([]);
    },
  };
}

function accountOf(exchange: ScriptedExchange, { apiKey }: ExchangeCredentials): Account {
  const account = exchange.accounts.find((each) => each.apiKey === apiKey);
  if (account === undefined) throw new Error('the exchange has no such account');
  return account;
}
