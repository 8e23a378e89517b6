/** Kraken's wire formats, written from recordings and from https://docs.kraken.com/api-reference */
import { randomBytes } from 'node:crypto';
import type { TradingType } from '@trading-automation/contracts';
import type { Dialect } from '../../../../conformance/scripted/dialect.js';
import { markets } from '../../../../conformance/scripted/markets.js';
import { authenticateSpot, refuseSpot } from './spot-access.js';
import { spotRoutes } from './spot-routes.js';
import { openSpotStream, SPOT_CHANNELS } from './spot-streams.js';

export const dialect: Dialect = {
  venue: 'kraken',
  traits: { placement: 'ACKNOWLEDGEMENT', reportsPermissions: true, reportsTimeInForce: false },
  settingsFor: (_tradingType: TradingType) => ({
    markets: markets('SPOT', { makerFee: '0.001', takerFee: '0.001' }),
    spotFeeIn: 'QUOTE',
    clientOrderIds: 'UNIQUE_AMONG_OPEN',
    postOnlyThatTakes: 'REFUSED',
    credentialsOf: (number) => ({
      apiKey: `kraken-key-${number}`,
      apiSecret: randomBytes(64).toString('base64'),
      passphrase: undefined,
    }),
  }),
  routes: spotRoutes,
  channels: SPOT_CHANNELS,
  readParams: ({ method, query, body }) =>
    Object.fromEntries(new URLSearchParams(method === 'GET' ? query : body)),
  authenticate: authenticateSpot,
  wrap: (answer) => answer,
  refuse: (kind) => refuseSpot(kind),
  refusalPages: ['https://docs.kraken.com/exchange/guides/general/errors'],
  openStream: openSpotStream,
};
