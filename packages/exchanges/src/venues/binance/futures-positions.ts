/** Positions, leverage and funding of Binance's USD-M futures. */
import type { Decimal } from '@trading-automation/contracts';
import errors from 'ccxt/js/src/base/errors';
import { z } from 'zod';
import { toBaseAmount } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { PositionCalls } from '../../ccxt/declaration.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { allPages, allRanges } from '../../ccxt/pages.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { FundingPayment, FundingRate, LeverageSettings, VenuePosition } from '../../port.js';
import { fetchFuturesMargin } from './futures-account.js';
import { RANGES } from './futures-fills.js';
import { priceOrZero } from './futures-records.js';

const number = z.union([z.number(), z.string()]).transform(String).pipe(exactDecimal);
const record = z.object({
  symbol: z.string(),
  positionSide: z.string(),
  positionAmt: exactDecimal,
  entryPrice: priceOrZero,
  markPrice: priceOrZero,
  liquidationPrice: priceOrZero,
  unRealizedProfit: exactDecimal,
  maintMargin: exactDecimal,
  isolatedMargin: exactDecimal,
});
const settings = z.object({ symbol: z.string(), marginType: z.string(), leverage: number });
type Settings = z.output<typeof settings>;

async function fetchSettings(ccxt: CcxtClient, symbol?: string): Promise<readonly Settings[]> {
  const params = symbol === undefined ? {} : { symbol: ccxt.market(symbol).id };
  return parseResponse(z.array(settings), await callEndpoint(ccxt, 'fapiPrivateGetSymbolConfig', params));
}

const marginModeOf = (marginType: string | undefined) =>
  marginType?.toUpperCase() === 'ISOLATED' ? 'ISOLATED' : 'CROSS';

async function fetchPositionList(ccxt: CcxtClient): Promise<readonly VenuePosition[]> {
  const response = await callEndpoint(ccxt, 'fapiPrivateV3GetPositionRisk', {});
  const open = parseResponse(z.array(record), response).filter(({ positionAmt }) => positionAmt !== '0');
  if (open.length === 0) return [];
  const settingsOf = new Map((await fetchSettings(ccxt)).map((each) => [each.symbol, each]));
  return open.map((each) => toPosition(ccxt, each, settingsOf.get(each.symbol)));
}

function toPosition(
  ccxt: CcxtClient,
  parsed: z.output<typeof record>,
  { leverage, marginType }: Partial<Settings> = {},
): VenuePosition {
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  const marginMode = marginModeOf(marginType);
  return {
    symbol: symbol ?? parsed.symbol,
    ...sizeOf(ccxt, symbol, parsed.positionAmt),
    entryPrice: parsed.entryPrice,
    markPrice: parsed.markPrice,
    liquidationPrice: parsed.liquidationPrice,
    leverage,
    marginMode,
    unrealizedPnl: parsed.unRealizedProfit,
    maintenanceMargin: parsed.maintMargin,
    isolatedMargin: marginMode === 'ISOLATED' ? parsed.isolatedMargin : undefined,
    isSupported: isSupported(ccxt, symbol, parsed.positionSide),
  };
}

/** A position of the hedge mode or of a dated contract is listed only. */
function isSupported(ccxt: CcxtClient, symbol: string | undefined, positionSide: string): boolean {
  return (
    symbol !== undefined &&
    !symbol.includes('-') &&
    positionSide === 'BOTH' &&
    ccxt.market(symbol).contract === true
  );
}

function sizeOf(
  ccxt: CcxtClient,
  symbol: string | undefined,
  signed: Decimal,
): Pick<VenuePosition, 'side' | 'amount'> {
  const isShort = signed.startsWith('-');
  const size = isShort ? signed.slice(1) : signed;
  const amount = symbol === undefined ? size : toBaseAmount(ccxt, symbol, size);
  return { side: isShort ? 'SHORT' : 'LONG', amount };
}

const update = z.object({
  s: z.string(),
  pa: exactDecimal,
  ep: priceOrZero,
  up: exactDecimal,
  mt: z.string(),
  ps: z.string(),
});

/** Parses a position of the account stream. */
export function readPositionUpdate(ccxt: CcxtClient, message: unknown): VenuePosition {
  const { s, pa, ep, up, mt, ps } = parseResponse(update, message);
  const symbol = symbolOfMarketId(ccxt, s);
  return {
    symbol: symbol ?? s,
    ...sizeOf(ccxt, symbol, pa),
    entryPrice: ep,
    marginMode: marginModeOf(mt),
    unrealizedPnl: up,
    isSupported: isSupported(ccxt, symbol, ps),
  };
}

const brackets = z.array(
  z.object({ symbol: z.string(), brackets: z.array(z.object({ initialLeverage: z.number() })) }),
);

async function fetchMaxLeverage(ccxt: CcxtClient, symbol: string): Promise<Decimal | undefined> {
  const params = { symbol: ccxt.market(symbol).id };
  const [first] = parseResponse(brackets, await callEndpoint(ccxt, 'fapiPrivateGetLeverageBracket', params));
  const highest = Math.max(...(first?.brackets ?? []).map(({ initialLeverage }) => initialLeverage));
  return Number.isFinite(highest) ? String(highest) : undefined;
}

async function fetchLeverage(ccxt: CcxtClient, symbol: string): Promise<LeverageSettings> {
  const [list, maxLeverage] = await Promise.all([
    fetchSettings(ccxt, symbol),
    fetchMaxLeverage(ccxt, symbol),
  ]);
  const { leverage, marginType } = parseResponse(settings, list[0]);
  return { leverage, marginMode: marginModeOf(marginType), maxLeverage };
}

/** Another client may have set the margin mode meanwhile; the exchange refuses to set the same mode again. */
async function setMarginMode(ccxt: CcxtClient, symbol: string, mode: 'CROSS' | 'ISOLATED'): Promise<void> {
  const marginType = mode === 'CROSS' ? 'CROSSED' : 'ISOLATED';
  const params = { symbol: ccxt.market(symbol).id, marginType };
  try {
    await callEndpoint(ccxt, 'fapiPrivatePostMarginType', params);
  } catch (error) {
    if (!(error instanceof errors.MarginModeAlreadySet)) throw error;
  }
}

const income = z.object({
  symbol: z.string(),
  income: exactDecimal,
  asset: z.string(),
  time: z.number(),
  tranId: z.union([z.number(), z.string()]).transform(String),
});
const INCOMES_PER_PAGE = 1_000;

/** Income is listed for three months. */
const INCOME_RANGES = { ...RANGES, historyMs: 89 * 86_400_000 };

function fetchIncome(ccxt: CcxtClient, from: Date, to: Date): Promise<readonly z.output<typeof income>[]> {
  const range = { startTime: from.getTime(), endTime: to.getTime() };
  return allPages(async (cursor = '1') => {
    const params = { incomeType: 'FUNDING_FEE', ...range, limit: INCOMES_PER_PAGE, page: cursor };
    const response = await callEndpoint(ccxt, 'fapiPrivateGetIncome', params);
    const items = parseResponse(z.array(income), response);
    return { items, next: items.length < INCOMES_PER_PAGE ? undefined : String(Number(cursor) + 1) };
  });
}

const premium = z.object({ symbol: z.string(), markPrice: exactDecimal });
const premiums = z.union([z.array(premium), premium.transform((one) => [one])]);
const rate = z.object({
  fundingTime: z.number(),
  fundingRate: exactDecimal,
  // Empty for the oldest rates.
  markPrice: z.union([priceOrZero, z.literal('').transform(() => undefined)]).optional(),
});
const RATES_PER_PAGE = 1_000;

async function fetchRates(
  ccxt: CcxtClient,
  symbol: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<readonly FundingRate[]> {
  const range = { symbol: ccxt.market(symbol).id, endTime: to.getTime() - 1, limit: RATES_PER_PAGE };
  const rates = await allPages(async (cursor) => {
    const params = { ...range, startTime: cursor ?? String(from.getTime()) };
    const items = parseResponse(z.array(rate), await callEndpoint(ccxt, 'fapiPublicGetFundingRate', params));
    const last = items.at(-1)?.fundingTime;
    const hasMore = last !== undefined && items.length === RATES_PER_PAGE;
    return { items, next: hasMore ? String(last + 1) : undefined };
  });
  return rates.map(({ fundingTime, fundingRate, markPrice }) => {
    return { symbol, rate: fundingRate, markPrice, at: new Date(fundingTime) };
  });
}

export const futuresPositions: PositionCalls = {
  fetchPositions: async ({ ccxt }) => {
    const requestedAt = venueTime(ccxt);
    const positions = await fetchPositionList(ccxt);
    return { positions, at: requestedAt, until: venueTime(ccxt) };
  },
  fetchMargin: ({ ccxt }) => fetchFuturesMargin(ccxt),
  fetchLeverage: ({ ccxt }, symbol) => fetchLeverage(ccxt, symbol),
  setLeverage: async ({ ccxt }, symbol, { leverage, marginMode }) => {
    const before = await fetchLeverage(ccxt, symbol);
    if (marginMode !== undefined && marginMode !== before.marginMode)
      await setMarginMode(ccxt, symbol, marginMode);
    const after = { ...before, leverage, marginMode: marginMode ?? before.marginMode };
    if (before.leverage === leverage) return after;
    await callEndpoint(ccxt, 'fapiPrivatePostLeverage', { symbol: ccxt.market(symbol).id, leverage });
    return after;
  },
  fetchFunding: async ({ ccxt }, since) => {
    const records = await allRanges(since, INCOME_RANGES, (from, to) => fetchIncome(ccxt, from, to));
    return records
      .flatMap((each): FundingPayment[] => {
        const symbol = symbolOfMarketId(ccxt, each.symbol);
        if (symbol === undefined) return [];
        const { tranId: id, income: amount, asset, time } = each;
        return [{ id, symbol, amount, currency: ccxt.safeCurrencyCode(asset), paidAt: new Date(time) }];
      })
      .sort((a, b) => a.paidAt.getTime() - b.paidAt.getTime());
  },
  fetchMarkPrices: async ({ ccxt }, symbols) => {
    const [only] = symbols.length === 1 ? symbols : [];
    const params = only === undefined ? {} : { symbol: ccxt.market(only).id };
    const list = parseResponse(premiums, await callEndpoint(ccxt, 'fapiPublicGetPremiumIndex', params));
    const byId = new Map(list.map(({ symbol, markPrice }) => [symbol, markPrice]));
    return Object.fromEntries(
      symbols.flatMap((symbol) => {
        const price = byId.get(ccxt.market(symbol).id);
        return price === undefined ? [] : [[symbol, price]];
      }),
    );
  },
  fetchFundingRates: ({ ccxt }, symbol, range) => fetchRates(ccxt, symbol, range),
};
