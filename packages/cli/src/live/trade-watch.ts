/**
 * Follows trades until they are final.
 *
 * 1. None of a trade's changes is missed: the stream begins after an event that was seen before the trades are read.
 * 2. What is told of a trade is read from the API, by its newest version: an older state never follows a newer one.
 */
import type { Client, TradeDetail } from '@trading-automation/sdk';

export type WatchedTrade = TradeDetail<'string'>;

const FINAL = ['FILLED', 'CANCELLED', 'FAILED'];
const OPEN = ['PENDING', 'PARTIALLY_FILLED'] as const;
const OPEN_MAX = 100;

export interface WatchOptions {
  readonly client: Pick<Client<'string'>, 'trades' | 'events'>;
  /** One trade; without it the open ones and the newest. */
  readonly id: string | undefined;
  readonly isUntilFinal: boolean;
  readonly signal: AbortSignal;
  /** Told each new state of a trade. */
  onTrade(trade: WatchedTrade, all: readonly WatchedTrade[]): Promise<void> | void;
}

/** The trades that were followed, as they are at the end. */
export async function watchTrades(watch: WatchOptions): Promise<readonly WatchedTrade[]> {
  const { client, id, isUntilFinal, signal } = watch;
  const known = new Map<string, WatchedTrade>();
  const updateTrade = async (trade: WatchedTrade) => {
    const before = known.get(trade.id);
    if (before !== undefined && before.version >= trade.version) return;
    known.set(trade.id, trade);
    await watch.onTrade(trade, [...known.values()]);
  };
  const isOver = () => isUntilFinal && [...known.values()].every(isFinal);

  const [last] = (await client.events.list({ limit: 1 }, { signal })).data;
  for (const each of await tradesAtFirst(watch)) await updateTrade(await client.trades.get(each, { signal }));
  if (isOver()) return [...known.values()];
  const events = client.events.stream(
    { type: 'trade.*' },
    { signal, ...(last === undefined ? {} : { lastEventId: last.event_id }) },
  );
  for await (const { data } of events) {
    const tradeId = (data as { id?: unknown }).id;
    if (typeof tradeId !== 'string' || (id !== undefined && tradeId !== id)) continue;
    // Those that begin later are not waited for: another program may place them for ever.
    if (isUntilFinal && !known.has(tradeId)) continue;
    await updateTrade(await client.trades.get(tradeId, { signal }));
    if (isOver()) break;
  }
  return [...known.values()];
}

async function tradesAtFirst({ client, id, signal }: WatchOptions): Promise<readonly string[]> {
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

/** One state of a trade as one line. */
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
