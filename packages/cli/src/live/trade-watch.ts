/**
 * Follows trades, if requested only until all of them are final.
 *
 * 1. No change is missed: the event stream starts after an event that existed before the trades were read.
 * 2. After each event, the trade is read from the API. A state whose version is not newer than the last one is ignored.
 */
import type { Client, TradeDetail } from '@trading-automation/sdk';

export type WatchedTrade = TradeDetail<'string'>;

const FINAL = ['FILLED', 'CANCELLED', 'FAILED'];
const OPEN = ['PENDING', 'PARTIALLY_FILLED'] as const;
const OPEN_MAX = 100;

export interface WatchOptions {
  readonly client: Pick<Client<'string'>, 'trades' | 'events'>;
  /** The trade to watch. Default: all open trades and the newest one. */
  readonly id: string | undefined;
  readonly isUntilFinal: boolean;
  readonly signal: AbortSignal;
  /** Called with each new state of a trade. */
  onTrade(trade: WatchedTrade, all: readonly WatchedTrade[]): Promise<void> | void;
}

/** Watches trades and returns their last states. */
export async function watchTrades(watch: WatchOptions): Promise<readonly WatchedTrade[]> {
  const { client, id, isUntilFinal, signal } = watch;
  const known = new Map<string, WatchedTrade>();
  const updateTrade = async (trade: WatchedTrade) => {
    const previous = known.get(trade.id);
    if (previous !== undefined && previous.version >= trade.version) return;
    known.set(trade.id, trade);
    await watch.onTrade(trade, [...known.values()]);
  };
  const areAllFinal = () => isUntilFinal && [...known.values()].every(isFinal);

  const [last] = (await client.events.list({ limit: 1 }, { signal })).data;
  for (const initialId of await initialTradeIds(watch))
    await updateTrade(await client.trades.get(initialId, { signal }));
  if (areAllFinal()) return [...known.values()];
  const events = client.events.stream(
    { type: 'trade.*' },
    { signal, ...(last === undefined ? {} : { lastEventId: last.event_id }) },
  );
  for await (const { data } of events) {
    const tradeId = (data as { id?: unknown }).id;
    if (typeof tradeId !== 'string' || (id !== undefined && tradeId !== id)) continue;
    // Ignores trades that are created later: with a stream of new trades, the command would never end.
    if (isUntilFinal && !known.has(tradeId)) continue;
    await updateTrade(await client.trades.get(tradeId, { signal }));
    if (areAllFinal()) break;
  }
  return [...known.values()];
}

async function initialTradeIds({ client, id, signal }: WatchOptions): Promise<readonly string[]> {
  if (id !== undefined) return [id];
  const [newest, ...open] = await Promise.all([
    client.trades.list({ limit: 1 }, { signal }).toArray({ limit: 1 }),
    ...OPEN.map((status) =>
      client.trades.list({ status, limit: 100 }, { signal }).toArray({ limit: OPEN_MAX }),
    ),
  ]);
  const trades = [...open.flat(), ...newest].sort((one, other) =>
    one.created_at < other.created_at ? -1 : 1,
  );
  return [...new Set(trades.map((trade) => trade.id))];
}

function isFinal({ status }: Pick<WatchedTrade, 'status'>): boolean {
  return FINAL.includes(status);
}

/** Formats one state of a trade as one line. */
export function lineOf(trade: WatchedTrade): string {
  const { id, symbol, side, type, status, filled_amount, amount, average_price, failure } = trade;
  return [
    id,
    symbol,
    side,
    type,
    status,
    `${filled_amount}/${amount}`,
    average_price ?? '',
    failure?.message ?? '',
  ].join('\t');
}
