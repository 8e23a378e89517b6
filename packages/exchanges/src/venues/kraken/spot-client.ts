/** What Kraken's spot needs of ccxt's client beyond what ccxt does. */
import errors from 'ccxt/js/src/base/errors';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { addDeadlines } from './deadline.js';

type Params = Readonly<Record<string, unknown>>;

interface SpotMarket {
  readonly precision: object;
  readonly info: { readonly tick_size?: string };
}

interface KrakenClient extends CcxtClient {
  readonly exceptions: { readonly exact: Record<string, unknown>; readonly broad: Record<string, unknown> };
  fetchMarkets(params?: Params): Promise<readonly SpotMarket[]>;
  fetchTime(): Promise<number>;
  fetchOHLCV(
    symbol: string,
    timeframe: string,
    since?: number,
    limit?: number,
    params?: Params,
  ): Promise<unknown>;
}

/** Errors that ccxt has no class for, or a more general one: https://docs.kraken.com/exchange/guides/general/errors */
const EXCEPTIONS = {
  'EAPI:Invalid signature': errors.AuthenticationError,
  'EQuery:Unknown asset pair': errors.BadSymbol,
  'EOrder:Unknown order': errors.OrderNotFound,
  'EOrder:Insufficient margin': errors.InsufficientFunds,
  'EOrder:Cost minimum not met': errors.InvalidOrder,
  'EOrder:Tick size check failed': errors.InvalidOrder,
  'EOrder:Invalid price': errors.InvalidOrder,
  'EOrder:Orders limit exceeded': errors.OperationRejected,
  'EOrder:Post only order': errors.OrderImmediatelyFillable,
  // The documentation does not contain the error of a repetition. Any other one is no statement about the order.
  'EOrder:Duplicate order': errors.DuplicateOrderId,
  'EOrder:cl_ord_id already in use': errors.DuplicateOrderId,
  // The order came too late, or the clocks differ. A deadline must lie two seconds ahead when the order arrives.
  'EGeneral:Invalid arguments:deadline': errors.InvalidNonce,
  'EService:Deadline elapsed': errors.InvalidNonce,
  'EService:Market in limit_only mode': errors.OnMaintenance,
};

export function prepareSpot(created: object): void {
  const client = created as KrakenClient;
  Object.assign(client.exceptions.exact, EXCEPTIONS);
  Object.assign(client.exceptions.broad, { 'EAccount:Invalid permissions': errors.OperationRejected });
  addDeadlines(client, 'AddOrder', 'deadline');
  const fetchMarkets = client.fetchMarkets.bind(client);
  // ccxt reads the decimals of prices, of which the tick may be a multiple.
  client.fetchMarkets = async (params) =>
    (await fetchMarkets(params)).map((market) => {
      const { tick_size } = market.info;
      return tick_size === undefined
        ? market
        : { ...market, precision: { ...market.precision, price: client.parseNumber(tick_size) } };
    });
  client.loadTimeDifference = () => loadTimeDifference(client);
  const fetchOHLCV = client.fetchOHLCV.bind(client);
  // The exchange has no end of a range: it returns the last 720 candles.
  client.fetchOHLCV = (symbol, timeframe, since, limit) => fetchOHLCV(symbol, timeframe, since, limit, {});
}

/** The exchange reports whole seconds. A difference that this does not prove counts as none. */
async function loadTimeDifference(client: KrakenClient): Promise<number> {
  const before = Date.now();
  const second = await client.fetchTime();
  const after = Date.now();
  const agrees = before < second + 1_000 && after >= second;
  const difference = agrees ? 0 : after - (second + 500);
  client.options.timeDifference = difference;
  return difference;
}
