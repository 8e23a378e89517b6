/** Coinbase's wire format, from recordings and https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api */
import type { Dialect } from '../../../../conformance/scripted/dialect.js';
import { markets } from '../../../../conformance/scripted/markets.js';
import { authenticate, credentialsOf, refuse } from './access.js';
import { routes } from './routes.js';
import { CHANNELS, openStream } from './streams.js';

/** Parameters that are repeated for each of their values. */
const LISTS: ReadonlySet<string> = new Set(['product_ids', 'order_ids', 'order_status']);

function readQuery(query: string): unknown {
  const params = new URLSearchParams(query);
  return Object.fromEntries(
    [...new Set(params.keys())].map((name) => [
      name,
      LISTS.has(name) ? params.getAll(name) : params.get(name),
    ]),
  );
}

export const dialect: Dialect = {
  venue: 'coinbase',
  traits: { placement: 'ACKNOWLEDGEMENT', reportsPermissions: true, streamsBalances: false },
  settingsFor: () => ({
    markets: markets('SPOT', { makerFee: '0.001', takerFee: '0.001' }),
    spotFeeIn: 'QUOTE',
    clientOrderIds: 'RETURNS_FIRST',
    postOnlyThatTakes: 'REFUSED',
    credentialsOf,
  }),
  routes,
  channels: CHANNELS,
  readParams: ({ method, query, body }) => (method === 'GET' ? readQuery(query) : JSON.parse(body)),
  authenticate,
  wrap: (answer) => answer,
  refuse,
  refusalPages: [
    'https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/orders/create-order',
    'https://docs.cdp.coinbase.com/coinbase-app/advanced-trade-apis/guides/errors',
  ],
  openStream,
};
