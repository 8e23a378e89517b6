/** Reads lists of fills that may be longer than one response, at exchanges that page by fill id. */
import type { VenueFill } from '../port.js';
import type { CcxtClient } from './ccxt-client.js';
import type { FillCalls } from './declaration.js';
import { readFills, sortByExecution } from './fills.js';

type Params = Readonly<Record<string, unknown>>;

/** How an exchange pages its lists of fills. */
interface FillPages {
  /** The maximum number of fills per response. */
  readonly pageSize: number;
  /**
   * Parameters that request the fills from this id on. The fill with this id is included, because the two fills of a
   * self-trade have the same id.
   */
  from(fillId: string): Params;
  /** Parameters that request the fills of a time range, at most `spanMs` long. */
  between(from: Date, to: Date): Params;
  /** The longest time range that the exchange accepts, in milliseconds. */
  readonly spanMs: number;
}

type FetchPage = (more: Params) => Promise<readonly VenueFill[]>;

/** @param params parameters of every call */
export function unifiedFills(pages: FillPages, params: Params = {}): FillCalls {
  const { pageSize } = pages;
  const pageOfOrder = (ccxt: CcxtClient, exchangeOrderId: string, symbol: string) => async (more: Params) => {
    const all = { ...params, ...more };
    const response = await ccxt.fetchOrderTrades(exchangeOrderId, symbol, undefined, pageSize, all);
    return readFills(ccxt, response, { symbol, exchangeOrderId });
  };
  const pageOfSymbol = (ccxt: CcxtClient, symbol: string) => async (more: Params) => {
    const response = await ccxt.fetchMyTrades(symbol, undefined, pageSize, { ...params, ...more });
    return readFills(ccxt, response, { symbol });
  };
  return {
    listedForMs: Number.POSITIVE_INFINITY,
    ofOrder: async ({ ccxt }, { symbol, exchangeOrderId }) => {
      const fetchPage = pageOfOrder(ccxt, exchangeOrderId, symbol);
      return sortByExecution(await fetchRemainingPages(pages, fetchPage, await fetchPage({})));
    },
    since: ({ ccxt }, symbol, since) => fetchSince(pages, pageOfSymbol(ccxt, symbol), since),
  };
}

/**
 * Returns every fill at or after `since`, oldest first.
 *
 * The first request returns the newest fills. If they do not reach back to `since`, one time range after another is
 * requested from `since` on. All fills after the first range that is not empty are then read page by page.
 */
async function fetchSince(
  pages: FillPages,
  fetchPage: FetchPage,
  since: Date,
): Promise<readonly VenueFill[]> {
  const newest = await fetchPage({});
  const isAfter = ({ executedAt }: VenueFill) => executedAt >= since;
  if (newest.length < pages.pageSize || !newest.every(isAfter))
    return sortByExecution(newest.filter(isAfter));
  for (let from = since.getTime(); from <= Date.now(); from += pages.spanMs) {
    const page = await fetchPage(pages.between(new Date(from), new Date(from + pages.spanMs - 1)));
    if (page.length > 0)
      return sortByExecution((await fetchRemainingPages(pages, fetchPage, page, true)).filter(isAfter));
  }
  return sortByExecution(newest);
}

/**
 * Returns the fills of `firstPage` and of all later pages. It stops at a page that is not full. It also stops at a page
 * without new fills, in case an exchange ignores the id from which the page must start.
 * @param isRange whether `firstPage` covers only a time range, so that fills may follow even if it is not full
 */
async function fetchRemainingPages(
  pages: FillPages,
  fetchPage: FetchPage,
  firstPage: readonly VenueFill[],
  isRange = false,
): Promise<readonly VenueFill[]> {
  const fills = new Map<string, VenueFill>();
  let page = firstPage;
  let mustContinue = isRange;
  for (;;) {
    const countBefore = fills.size;
    for (const fill of page) fills.set(`${fill.exchangeFillId} ${fill.exchangeOrderId}`, fill);
    const last = page.at(-1);
    if (last === undefined || fills.size === countBefore) break;
    if (page.length < pages.pageSize && !mustContinue) break;
    mustContinue = false;
    page = await fetchPage(pages.from(last.exchangeFillId));
  }
  return [...fills.values()];
}
