/** Changes of ccxt's class of Bitget. */
import type { TradingType } from '@trading-automation/contracts';
import errors from 'ccxt/js/src/base/errors';

type Fields = Readonly<Record<string, unknown>>;

interface BitgetMarket {
  readonly maker?: unknown;
  readonly taker?: unknown;
  readonly info: Fields;
  readonly limits: Fields;
}

interface BitgetClass {
  readonly exceptions: { readonly exact: Record<string, unknown> };
  publicUtaGetV3MarketInstruments(params: Fields): Promise<unknown>;
  publicUtaGetV3MarketTickers(params: Fields): Promise<{ readonly data?: unknown }>;
  fetchUtaMarkets(params: Fields): Promise<readonly BitgetMarket[]>;
  fetchTickers(symbols?: readonly string[]): Promise<object>;
  parseTickers(tickers: unknown, symbols?: readonly string[]): object;
}

/** The exchange's categories of orders. Orders of margin that may not borrow are orders of spot. */
export const CATEGORIES = {
  spot: ['SPOT'],
  margin: ['SPOT', 'MARGIN'],
  perpetual: ['USDT-FUTURES', 'USDC-FUTURES'],
} as const satisfies Readonly<Record<TradingType, readonly string[]>>;
type Category = (typeof CATEGORIES)[TradingType][number];

/** Returns the category of a market. Spot and margin trade the same markets. */
export function categoryOf(symbol: string): Exclude<Category, 'MARGIN'> {
  if (!symbol.includes(':')) return 'SPOT';
  return symbol.endsWith(':USDC') ? 'USDC-FUTURES' : 'USDT-FUTURES';
}

/** Returns the categories of the orders of a market. */
export function categoriesOf(type: TradingType, symbol: string): readonly Category[] {
  return type === 'perpetual' ? [categoryOf(symbol)] : CATEGORIES[type];
}

/** The exchange reports no rates for some markets of spot. The general ones: https://www.bitget.com/fee */
const SPOT_RATE = '0.001';

const allOf = (codes: readonly number[], error: unknown) =>
  Object.fromEntries(codes.map((code) => [String(code), error]));

/**
 * Errors that ccxt does not know or reads as those of older APIs.
 * https://www.bitget.com/api-doc/uta/error-code/restapi
 */
const ERRORS: Fields = {
  // After these, the order may exist.
  ...allOf([25000, 25001, 25003, 40010, 40725, 45001], errors.RequestTimeout),
  ...allOf([25102, 25103, 25106, 40015], errors.OnMaintenance),
  ...allOf([25004], errors.RateLimitExceeded),
  ...allOf([25620], errors.PermissionDenied),
  // The account is a classic one.
  ...allOf([25245, 40084], errors.AccountNotEnabled),
  ...allOf([25100, 25101, 25104], errors.BadSymbol),
  ...allOf([25200], errors.BadRequest),
  ...allOf([25202, 25203, 25219, 25230], errors.InsufficientFunds),
  ...allOf([25204], errors.OrderNotFound),
  ...allOf([25205, 25206, 25207, 25208, 25223, 25233, 25244, 25610, 25611], errors.InvalidOrder),
  ...allOf([25212], errors.DuplicateOrderId),
  // 40024: the account may not trade this currency. Other orders of the account work.
  ...allOf([25107, 40024, 25225, 25226, 25227, 25231, 25232, 25570, 25574], errors.OperationRejected),
  // Errors of streams: https://www.bitget.com/api-doc/common/websocket-intro
  ...allOf([30004, 30005, 30011, 30012, 30015], errors.AuthenticationError),
  ...allOf([30013, 30014], errors.InvalidNonce),
  ...allOf([30006, 30007], errors.RateLimitExceeded),
  ...allOf([30033], errors.ExchangeNotAvailable),
};

/** Changes a new client of a trading type. */
export function prepareBitget(type: TradingType, client: object): void {
  const categories: readonly Category[] = CATEGORIES[type].filter((category) => category !== 'MARGIN');
  const bitget = client as BitgetClass;
  Object.assign(bitget.exceptions.exact, ERRORS);
  const fetchInstruments = bitget.publicUtaGetV3MarketInstruments.bind(bitget);
  bitget.publicUtaGetV3MarketInstruments = async (params) =>
    categories.some((category) => category === params.category)
      ? // Not every market of spot has margin.
        fetchInstruments(type === 'margin' ? { ...params, category: 'MARGIN' } : params)
      : { data: [] };
  const fetchMarkets = bitget.fetchUtaMarkets.bind(bitget);
  bitget.fetchUtaMarkets = async (params) =>
    (await fetchMarkets(params)).map(type === 'perpetual' ? withExactRules : withRates);
  // ccxt would read the prices of the first symbol's category alone.
  bitget.fetchTickers = async (symbols = []) => {
    const used = categories.filter((category) => symbols.some((symbol) => categoryOf(symbol) === category));
    const answers = await Promise.all(
      used.map((category) => bitget.publicUtaGetV3MarketTickers({ category })),
    );
    const parsed = answers.map(({ data }) => bitget.parseTickers(data, symbols));
    return Object.assign({}, ...parsed);
  };
}

function withRates(market: BitgetMarket): BitgetMarket {
  return { ...market, maker: market.maker ?? SPOT_RATE, taker: market.taker ?? SPOT_RATE };
}

/** ccxt reads the number of decimals as the step, which may be a multiple of it. */
function withExactRules(market: BitgetMarket): BitgetMarket {
  const { priceMultiplier: price, quantityMultiplier: amount, maxMarketOrderQty } = market.info;
  const limits = { ...market.limits, market: maxMarketOrderQty ? { max: maxMarketOrderQty } : undefined };
  // Amounts are in base currency, and ccxt has the size of a contract as a number.
  return { ...market, ...{ precision: { price, amount }, contractSize: '1' }, limits };
}
