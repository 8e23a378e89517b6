/** Binance's wire format, written from recordings and from https://developers.binance.com/docs */
import type { TradingType } from '@trading-automation/contracts';
import type { Dialect } from '../../../../conformance/scripted/dialect.js';
import { markets } from '../../../../conformance/scripted/markets.js';
import { accountRoutes } from './account-routes.js';
import { authenticate, readParams } from './common.js';
import { futuresAccountRoutes } from './futures-account-routes.js';
import { futuresMarketRoutes } from './futures-market-routes.js';
import { futuresOrderRoutes } from './futures-order-routes.js';
import { FUTURES_CHANNELS, openFuturesStream } from './futures-streams.js';
import { marginRoutes } from './margin-routes.js';
import { refusalOf } from './refusals.js';
import { spotRoutes } from './spot-routes.js';
import { openSpotStream, SPOT_CHANNELS } from './spot-streams.js';

export const dialect: Dialect = {
  venue: 'binance',
  traits: { placement: 'STATE', reportsPermissions: true },
  settingsFor: (tradingType: TradingType) => ({
    markets: markets(tradingType === 'perpetual' ? 'PERPETUAL' : 'SPOT', {}),
    spotFeeIn: 'RECEIVED',
    clientOrderIds: 'UNIQUE_AMONG_OPEN',
    postOnlyThatTakes: 'REFUSED',
    credentialsOf: (number) => ({
      apiKey: `binance-key-${number}`,
      apiSecret: `binance-secret-${number}`,
      passphrase: undefined,
    }),
  }),
  routes: [
    ...accountRoutes,
    ...spotRoutes,
    ...marginRoutes,
    ...futuresMarketRoutes,
    ...futuresOrderRoutes,
    ...futuresAccountRoutes,
  ],
  channels: [...SPOT_CHANNELS, ...FUTURES_CHANNELS],
  readParams,
  authenticate,
  wrap: (answer) => answer,
  refuse: (kind, { tradingType, method }) => refusalOf(kind, tradingType, method),
  refusalPages: [
    'https://developers.binance.com/docs/binance-spot-api-docs/errors',
    'https://developers.binance.com/docs/margin_trading/error-code',
    'https://developers.binance.com/docs/derivatives/usds-margined-futures/error-code',
  ],
  openStream: (connection) => openSpotStream(connection) ?? openFuturesStream(connection),
};
