/** Kraken's wire formats, written from recordings and from https://docs.kraken.com/api-reference */
import { createHash } from 'node:crypto';
import type { TradingType } from '@trading-automation/contracts';
import type { Dialect } from '../../../../conformance/scripted/dialect.js';
import { markets } from '../../../../conformance/scripted/markets.js';
import type { ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ExchangeSettings } from '../../../../conformance/scripted/scripted-exchange.js';
import { authenticateFutures, refuseFutures } from './futures-access.js';
import { futuresRoutes } from './futures-routes.js';
import { FUTURES_CHANNELS, openFuturesStream } from './futures-streams.js';
import { authenticateSpot, refuseSpot } from './spot-access.js';
import { spotRoutes } from './spot-routes.js';
import { openSpotStream, SPOT_CHANNELS } from './spot-streams.js';

/** The two exchanges have different paths. */
const isSpot = (path: string): boolean => path.startsWith('/0/');

/** Perpetuals are quoted and settled in USD. They have no least notional, and a coarser step. */
function perpetuals(): readonly ScriptedMarket[] {
  const rules = { step: '0.001', minAmount: '0.001', minNotional: '0', maxLeverage: '10' };
  return markets('PERPETUAL', rules).map((market) => {
    return { ...market, quote: 'USD', symbol: `${market.base}/USD:USD` };
  });
}

function settingsFor(tradingType: TradingType): ExchangeSettings {
  return {
    markets:
      tradingType === 'perpetual' ? perpetuals() : markets('SPOT', { makerFee: '0.001', takerFee: '0.001' }),
    spotFeeIn: 'QUOTE',
    clientOrderIds: 'UNIQUE_AMONG_OPEN',
    postOnlyThatTakes: 'REFUSED',
    credentialsOf: (number) => ({
      apiKey: `kraken-key-${number}`,
      apiSecret: createHash('sha512').update(`kraken-secret-${number}`).digest('base64'),
      passphrase: undefined,
    }),
  };
}

export const dialect: Dialect = {
  venue: 'kraken',
  traits: { placement: 'ACKNOWLEDGEMENT', reportsPermissions: true, reportsTimeInForce: false },
  traitsFor: (tradingType) =>
    tradingType === 'perpetual'
      ? { reportsPermissions: false, hasHedgeMode: false, hasCrossLeverage: false }
      : {},
  settingsFor,
  routes: [...spotRoutes, ...futuresRoutes],
  channels: [...SPOT_CHANNELS, ...FUTURES_CHANNELS],
  readParams: ({ method, path, query, body }) =>
    Object.fromEntries(new URLSearchParams(isSpot(path) && method !== 'GET' ? body : query)),
  authenticate: (request, exchange) =>
    isSpot(request.path) ? authenticateSpot(request, exchange) : authenticateFutures(request, exchange),
  wrap: (answer) => answer,
  refuse: (kind, { path, tradingType }) =>
    tradingType === 'perpetual' ? refuseFutures(kind, path) : refuseSpot(kind),
  refusalPages: [
    'https://docs.kraken.com/exchange/guides/general/errors',
    'https://docs.kraken.com/api-reference/order-management/send-order',
  ],
  openStream: (connection) => openSpotStream(connection) ?? openFuturesStream(connection),
};
