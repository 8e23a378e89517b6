/** Lists of fills that may be longer than one answer. */
import type { VenueFill } from '../port.js';
import type { Adapter } from './adapter.js';
import type { CcxtClient } from './ccxt-client.js';
import { readFills } from './fills.js';

type Params = Readonly<Record<string, unknown>>;

export interface FillSource {
  readonly library: CcxtClient;
  readonly rules: Adapter['fills'];
  readonly symbol: string;
  readonly params: Params;
}

/** Every fill of one order, oldest first. */
export async function readAllFills(
  source: FillSource,
  exchangeOrderId: string,
): Promise<readonly VenueFill[]> {
  const { library, rules, symbol, params } = source;
  const ask = async (more: Params) => {
    const all = { ...params, ...more };
    const answer = await library.fetchOrderTrades(exchangeOrderId, symbol, undefined, rules.pageSize, all);
    return readFills(answer, symbol, exchangeOrderId);
  };
  return inOrder(await fetchRemainingPages(rules, ask, await ask({})));
}

/**
 * Every fill of one symbol at `since` or later, oldest first.
 *
 * The newest fills come with one question, however long ago `since` is; only where they don't reach back to it are the
 * others asked for, span by span until there is one to go on from.
 */
export async function readFillsSince(source: FillSource, since: Date): Promise<readonly VenueFill[]> {
  const { rules } = source;
  const ask = (more: Params) => fetchPage(source, more);
  const newest = await ask({});
  const isAfter = ({ executedAt }: VenueFill) => executedAt >= since;
  if (newest.length < rules.pageSize || !newest.every(isAfter)) return inOrder(newest.filter(isAfter));
  for (let from = since.getTime(); from <= Date.now(); from += rules.spanMs) {
    const page = await ask(rules.between(new Date(from), new Date(from + rules.spanMs - 1)));
    if (page.length > 0) return inOrder((await fetchRemainingPages(rules, ask, page, true)).filter(isAfter));
  }
  return inOrder(newest);
}

async function fetchPage(
  { library, rules, symbol, params }: FillSource,
  more: Params,
): Promise<readonly VenueFill[]> {
  const answer = await library.fetchMyTrades(symbol, undefined, rules.pageSize, { ...params, ...more });
  return readFills(answer, symbol);
}

/** All fills from `first` on. A page of nothing new ends it too, lest an exchange that heeds no position is asked for ever. */
async function fetchRemainingPages(
  rules: Adapter['fills'],
  ask: (more: Params) => Promise<readonly VenueFill[]>,
  first: readonly VenueFill[],
  isSpan = false,
): Promise<readonly VenueFill[]> {
  const fills = new Map<string, VenueFill>();
  let page = first;
  let goesOn = isSpan;
  for (;;) {
    const known = fills.size;
    for (const fill of page) fills.set(`${fill.exchangeFillId} ${fill.exchangeOrderId}`, fill);
    const last = page.at(-1);
    if (last === undefined || fills.size === known) break;
    if (page.length < rules.pageSize && !goesOn) break;
    goesOn = false;
    page = await ask(rules.from(last.exchangeFillId));
  }
  return [...fills.values()];
}

function inOrder(fills: readonly VenueFill[]): readonly VenueFill[] {
  return [...fills].sort((a, b) => a.executedAt.getTime() - b.executedAt.getTime());
}
