/** The checks at a real exchange. Run by `scripts/conformance.mjs`, which sets the environment; never by `npm test`. */
import type { TradingType } from '@trading-automation/contracts';
import { createVenue, venueConfig } from '../src/ccxt/index.js';
import { LIVE_CHECKS, type LiveVenue } from './live-checks.js';

const {
  CONFORMANCE_VENUE: id = '',
  CONFORMANCE_TYPE: type = '',
  CONFORMANCE_SYMBOL: symbol = '',
  CONFORMANCE_SANDBOX,
  CONFORMANCE_MAX_NOTIONAL = '20',
  CONFORMANCE_API_KEY: apiKey = '',
  CONFORMANCE_API_SECRET: apiSecret = '',
  CONFORMANCE_PASSPHRASE: passphrase,
} = process.env;
const tradingType = type as TradingType;

describe(`${id} ${tradingType}`, () => {
  let live: LiveVenue;
  beforeAll(async () => {
    const config = venueConfig.parse({ id, name: id, adapter: id, tradingTypes: [tradingType] });
    const venue = createVenue(config, { isSandbox: CONFORMANCE_SANDBOX === 'true' });
    const client = venue.connect({ apiKey, apiSecret, passphrase }, tradingType);
    live = { venue, client, tradingType, symbol, maxNotional: Number(CONFORMANCE_MAX_NOTIONAL) };
    // Without the exchange, no check can pass.
    await venue.fetchMarkets();
  });
  afterAll(() => live.venue.close());

  const checks = LIVE_CHECKS.filter(({ tradingTypes = [tradingType] }) => tradingTypes.includes(tradingType));
  it.each(checks.map((check) => [check.id, check.title, check] as const))(
    '[%s] %s',
    (_id, _title, check) => check.run(live),
    60_000,
  );
});
