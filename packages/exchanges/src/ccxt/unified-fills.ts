/** Reads lists of fills that may be longer than one response. */
import type { VenueFill } from '../port.js';
import type { Adapter } from './adapter.js';
import type { CcxtClient } from './ccxt-client.js';
import { readFills } from './fills.js';

type Params = Readonly<Record<string, unknown>>;

export interface FillSource {
  readonly ccxt: CcxtClient;
  readonly rules: Adapter['fills'];
  readonly symbol: string;
  readonly params: Params;
}

/** Returns every fill of one order, oldest first. */
export async function readAllFills(
  source: FillSource,
  exchangeOrderId: string,
): Promise<readonly VenueFill[]> {
  const { ccxt, rules, symbol, params } = source;
  const fetchMore = async (more: Params) => {
    const all = { ...params, ...more };
    const response = await ccxt.fetchOrderTrades(exchangeOrderId, symbol, undefined, rules.pageSize, all);
    return readFills(response, symbol, exchangeOrderId);
  };
  return sortByExecution(await fetchRemainingPages(rules, fetchMore, await fetchMore({})));
}

/**
 * Returns every fill of one symbol at or after `since`, oldest first.
 *
 * The first request returns the newest fills. If they do not reach back to `since`, one time range after another is
 * requested from `since` on. All fills after the first range that is not empty are then read page by page.
 */
export async function readFillsSince(source: FillSource, since: Date): Promise<readonly VenueFill[]> {
  const { rules } = source;
  const fetchMore = (more: Params) => fetchPage(source, more);
  const newest = await fetchMore({});
  const isAfter = ({ executedAt }: VenueFill) => executedAt >= since;
  if (newest.length < rules.pageSize || !newest.every(isAfter))
    return sortByExecution(newest.filter(isAfter));
  for (let from = since.getTime(); from <= Date.now(); from += rules.spanMs) {
    const page = await fetchMore(rules.between(new Date(from), new Date(from + rules.spanMs - 1)));
    if (page.length > 0)
      return sortByExecution((await fetchRemainingPages(rules, fetchMore, page, true)).filter(isAfter));
  }
  return sortByExecution(newest);
}

async function fetchPage(
  { ccxt, rules, symbol, params }: FillSource,
  more: Params,
): Promise<readonly VenueFill[]> {
  const response = await ccxt.fetchMyTrades(symbol, undefined, rules.pageSize, { ...params, ...more });
  return readFills(response, symbol);
}

/**
 * Returns the fills of `firstPage` and of all later pages. It stops at a page that is not full. It also stops at a page
 * without new fills, in case an exchange ignores the id from which the page must start.
 * @param isRange whether `firstPage` covers only a time range, so that fills may follow even if it is not full
 */
async function fetchRemainingPages(
  rules: Adapter['fills'],
  fetchMore: (more: Params) => Promise<readonly VenueFill[]>,
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
    if (page.length < rules.pageSize && !mustContinue) break;
    mustContinue = false;
    page = await fetchMore(rules.from(last.exchangeFillId));
  }
  return [...fills.values()];
}

function sortByExecution(fills: readonly VenueFill[]): readonly VenueFill[] {
  return [...fills].sort((a, b) => a.executedAt.getTime() - b.executedAt.getTime());
}
