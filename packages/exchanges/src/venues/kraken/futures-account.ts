/** Kraken's multi-collateral futures account: balances, positions, leverage and funding. */
import type { Decimal } from '@trading-automation/contracts';
import { Precise } from 'ccxt/js/src/base/Precise';
import { z } from 'zod';
import { subtract, toBaseAmount } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { PositionCalls } from '../../ccxt/declaration.js';
import { failure } from '../../ccxt/failures.js';
import { allPages } from '../../ccxt/pages.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type {
  BalanceReport,
  CredentialsReport,
  FundingPayment,
  LeverageSettings,
  VenuePosition,
} from '../../port.js';
import { isoInstant, symbolOfInstrument } from './futures-records.js';

const accountLog = z.object({ accountUid: z.string().min(1) });

/** The exchange does not document how to read the permissions of a key. */
export async function inspectFuturesKey(ccxt: CcxtClient): Promise<CredentialsReport> {
  const response = await callEndpoint(ccxt, 'historyGetAccountLog', { count: 1 });
  return {
    tradingTypes: ['perpetual'],
    canTrade: null,
    canWithdraw: null,
    venueAccountId: parseResponse(accountLog, response).accountUid,
  };
}

const flex = z.object({
  currencies: z.record(z.string(), z.object({ quantity: jsonDecimal })),
  marginEquity: jsonDecimal,
  availableMargin: jsonDecimal,
  maintenanceMargin: jsonDecimal,
});
const accounts = z.object({ serverTime: isoInstant, accounts: z.object({ flex }) });

async function fetchFlexAccount(ccxt: CcxtClient): Promise<z.output<typeof accounts>> {
  return parseResponse(accounts, await callEndpoint(ccxt, 'privateGetAccounts', {}));
}

/** Open orders lock no balance, only margin. */
export async function fetchFuturesBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  const requestedAt = venueTime(ccxt);
  const { currencies } = (await fetchFlexAccount(ccxt)).accounts.flex;
  const held = Object.entries(currencies)
    .filter(([, { quantity }]) => quantity !== '0')
    .map(([code, { quantity }]) => [ccxt.safeCurrencyCode(code), { free: quantity, locked: '0' }] as const);
  return { balances: Object.fromEntries(held), at: requestedAt, until: venueTime(ccxt) };
}

const openPositions = z.object({
  openPositions: z.array(
    z.object({
      side: z.enum(['long', 'short']),
      symbol: z.string(),
      price: jsonDecimal,
      size: jsonDecimal,
      maxFixedLeverage: jsonDecimal.nullish(),
    }),
  ),
});
type OpenPosition = z.output<typeof openPositions>['openPositions'][number];
const tickers = z.object({
  tickers: z.array(z.object({ symbol: z.string(), markPrice: jsonDecimal.optional() })),
});

async function fetchMarks(ccxt: CcxtClient): Promise<ReadonlyMap<string, Decimal>> {
  const listed = parseResponse(tickers, await callEndpoint(ccxt, 'publicGetTickers', {})).tickers;
  return new Map(
    listed.flatMap(({ symbol, markPrice }) => {
      return markPrice === undefined ? [] : [[symbol.toUpperCase(), markPrice] as const];
    }),
  );
}

/** Returns the open positions, of contracts that the product does not support as well. */
export async function fetchOpenPositions(ccxt: CcxtClient): Promise<readonly VenuePosition[]> {
  const response = await callEndpoint(ccxt, 'privateGetOpenpositions', {});
  const positions = parseResponse(openPositions, response).openPositions;
  if (positions.length === 0) return [];
  const marks = await fetchMarks(ccxt);
  return positions.map((position) => readPosition(ccxt, position, marks.get(position.symbol.toUpperCase())));
}

function readPosition(
  ccxt: CcxtClient,
  { side, symbol: id, price, size, maxFixedLeverage }: OpenPosition,
  markPrice: Decimal | undefined,
): VenuePosition {
  const symbol = symbolOfInstrument(ccxt, id);
  const isLinear = symbol !== undefined && id.toUpperCase().startsWith('PF_');
  const amount = isLinear ? toBaseAmount(ccxt, symbol, size) : size;
  const change = markPrice === undefined ? undefined : subtract(markPrice, price);
  const result = change === undefined ? undefined : Precise.stringMul(change, amount);
  return {
    symbol: symbol ?? id,
    side: side === 'long' ? 'LONG' : 'SHORT',
    amount,
    entryPrice: price,
    markPrice,
    leverage: maxFixedLeverage ?? (isLinear ? maxLeverageOf(ccxt, symbol) : undefined),
    marginMode: maxFixedLeverage == null ? 'CROSS' : 'ISOLATED',
    unrealizedPnl: isLinear && result !== undefined ? signed(result, side) : undefined,
    isSupported: isLinear,
  };
}

const signed = (result: Decimal, side: 'long' | 'short'): Decimal =>
  side === 'long' ? result : subtract('0', result);

const marginLevels = z.object({
  info: z.object({ marginLevels: z.array(z.object({ initialMargin: jsonDecimal })).min(1) }),
});

/** The leverage of the smallest positions. Positions with cross margin have this one. */
function maxLeverageOf(ccxt: CcxtClient, symbol: string): Decimal {
  const { info } = parseResponse(marginLevels, ccxt.market(symbol));
  return Precise.stringDiv('1', info.marginLevels[0]!.initialMargin) ?? '1';
}

const preferences = z.object({
  leveragePreferences: z.array(z.object({ symbol: z.string(), maxLeverage: jsonDecimal })),
});

async function fetchLeverage(ccxt: CcxtClient, symbol: string): Promise<LeverageSettings> {
  const response = await callEndpoint(ccxt, 'privateGetLeveragepreferences', {});
  const { id } = ccxt.market(symbol);
  const listed = parseResponse(preferences, response).leveragePreferences;
  const own = listed.find((each) => each.symbol.toUpperCase() === id);
  const maxLeverage = maxLeverageOf(ccxt, symbol);
  // A market without a preference has cross margin.
  return own === undefined
    ? { leverage: maxLeverage, marginMode: 'CROSS', maxLeverage }
    : { leverage: own.maxLeverage, marginMode: 'ISOLATED', maxLeverage };
}

const logs = z.object({
  logs: z.array(
    z.object({
      id: z.number(),
      date: isoInstant,
      asset: z.string(),
      contract: z.string().nullish(),
      realized_funding: jsonDecimal.nullish(),
    }),
  ),
});
const LOGS_PER_PAGE = 500;

/** Returns funding that was paid at the end of an hour, or when a position changed. */
async function fetchFunding(ccxt: CcxtClient, since: Date): Promise<readonly FundingPayment[]> {
  const params = { since: since.getTime(), sort: 'asc', count: LOGS_PER_PAGE };
  const entries = await allPages(async (from) => {
    const page = from === undefined ? params : { ...params, from };
    const { logs: items } = parseResponse(logs, await callEndpoint(ccxt, 'historyGetAccountLog', page));
    const last = items.at(-1);
    return { items, next: items.length < LOGS_PER_PAGE || !last ? undefined : String(last.id + 1) };
  });
  return entries.flatMap(({ id, date, asset, contract, realized_funding: amount }): FundingPayment[] => {
    const symbol = contract == null ? undefined : symbolOfInstrument(ccxt, contract);
    // The entry of a contract repeats what that of its currency contains.
    const isOfCurrency = asset.toLowerCase() !== contract?.toLowerCase();
    if (symbol === undefined || !isOfCurrency || amount == null || amount === '0') return [];
    const currency = ccxt.safeCurrencyCode(asset.toUpperCase());
    return [{ id: String(id), symbol, amount, currency, paidAt: date }];
  });
}

const rates = z.object({
  rates: z.array(z.object({ timestamp: isoInstant, relativeFundingRate: jsonDecimal })),
});
const candles = z.object({
  candles: z.array(z.object({ time: z.number(), open: jsonDecimal })),
});
const CANDLES_PER_PAGE = 2_000;
const HOUR_MS = 3_600_000;

/** Returns the mark price at the start of each hour. */
async function fetchHourlyMarks(
  ccxt: CcxtClient,
  marketId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<ReadonlyMap<number, Decimal>> {
  const marks = new Map<number, Decimal>();
  const pageMs = CANDLES_PER_PAGE * HOUR_MS;
  const end = Math.min(to.getTime(), Date.now());
  for (let start = from.getTime(); start < end; start += pageMs) {
    const response = await callEndpoint(ccxt, 'chartsGetPriceTypeSymbolInterval', {
      price_type: 'mark',
      symbol: marketId,
      interval: '1h',
      from: Math.floor(start / 1_000),
      to: Math.floor((Math.min(end, start + pageMs) - 1) / 1_000),
    });
    for (const { time, open } of parseResponse(candles, response).candles) marks.set(time, open);
  }
  return marks;
}

export const futuresPositions: PositionCalls = {
  fetchPositions: async ({ ccxt }) => {
    const requestedAt = venueTime(ccxt);
    return { positions: await fetchOpenPositions(ccxt), at: requestedAt, until: venueTime(ccxt) };
  },
  fetchMargin: async ({ ccxt }) => {
    const { marginEquity, availableMargin, maintenanceMargin } = (await fetchFlexAccount(ccxt)).accounts.flex;
    return { currency: 'USD', equity: marginEquity, available: availableMargin, maintenanceMargin };
  },
  fetchLeverage: ({ ccxt }, symbol) => fetchLeverage(ccxt, symbol),
  setLeverage: async ({ ccxt }, symbol, { leverage, marginMode }) => {
    const before = await fetchLeverage(ccxt, symbol);
    const wanted = marginMode ?? before.marginMode;
    if (before.leverage === leverage && before.marginMode === wanted) return before;
    if (Precise.stringGt(leverage, before.maxLeverage)) throw failure(['rejected', 'rule_violated']);
    // A leverage of its own gives a market isolated margin; without one it has cross margin and the highest leverage.
    if (wanted === 'CROSS' && leverage !== before.maxLeverage) throw failure(['rejected', 'not_supported']);
    const own = wanted === 'ISOLATED' ? { maxLeverage: leverage } : {};
    await callEndpoint(ccxt, 'privatePutLeveragepreferences', { symbol: ccxt.market(symbol).id, ...own });
    return { ...before, leverage, marginMode: wanted };
  },
  fetchFunding: ({ ccxt }, since) => fetchFunding(ccxt, since),
  fetchMarkPrices: async ({ ccxt }, symbols) => {
    const marks = await fetchMarks(ccxt);
    return Object.fromEntries(
      symbols.flatMap((symbol) => {
        const price = marks.get(ccxt.market(symbol).id);
        return price === undefined ? [] : [[symbol, price]];
      }),
    );
  },
  fetchFundingRates: async ({ ccxt }, symbol, { from, to }) => {
    const { id } = ccxt.market(symbol);
    const response = await callEndpoint(ccxt, 'publicGetHistoricalfundingrates', { symbol: id });
    const within = parseResponse(rates, response).rates.filter(
      ({ timestamp }) => timestamp >= from && timestamp < to,
    );
    if (within.length === 0) return [];
    const marks = await fetchHourlyMarks(ccxt, id, { from, to });
    return within
      .map(({ timestamp: at, relativeFundingRate: rate }) => {
        return { symbol, rate, markPrice: marks.get(at.getTime()), at };
      })
      .sort((a, b) => a.at.getTime() - b.at.getTime());
  },
};
