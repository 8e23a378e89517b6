/**
 * Appends and reads the numbered signals of strategies.
 *
 * 1. The sequences of a strategy are 1, 2, 3, … without gaps and become visible in that order. They are assigned under a
 *    lock of the strategy's row in `strategy_sequences`, held until the transaction ends. A rollback frees them.
 * 2. A fill emits at most one signal per lot, even if the fill is booked several times.
 * 3. Notifications are only hints: readers also poll for the signals after their last one.
 */
import { insertMany, newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import { SignalEntity } from './signal.entity.js';
import type { EmittedLotState, NewSignal, Signal } from './signal.js';

/** The payload of a notification is the uuid of the strategy that has new signals. */
export const SIGNALS_CHANNEL = 'signals';

/**
 * Appends signals; the signals of one strategy are numbered in input order. The caller holds the locks that order the
 * fills. After this call, the transaction may lock nothing except to emit events.
 */
export async function appendSignals(tx: Tx, signals: readonly NewSignal[]): Promise<void> {
  if (signals.length === 0) return;
  const counts = new Map<string, number>();
  const ordinals = signals.map(({ strategyId }) => {
    const ordinal = (counts.get(strategyId) ?? 0) + 1;
    counts.set(strategyId, ordinal);
    return ordinal;
  });
  const lastBefore = await reserveSequences(tx, counts);
  const firstSequences = new Map<string, number>();
  const numbered = signals.map((signal, i) => {
    const sequence = lastBefore.get(signal.strategyId)! + ordinals[i]!;
    const firstSequence = signal.lotFirstSequence ?? firstSequences.get(signal.lotTradeId) ?? sequence;
    firstSequences.set(signal.lotTradeId, firstSequence);
    return { ...signal, id: newUuid(), sequence, lotFirstSequence: firstSequence };
  });
  await insertMany(tx, SignalEntity, numbered, { computed: { leaderRatio: LEADER_RATIO } });
}

/** Returns at most `limit` signals of a strategy after `sequence`, in order. */
export async function signalsAfter(
  tx: Tx,
  strategyId: string,
  sequence: number,
  limit: number,
): Promise<readonly Signal[]> {
  const rows = await queryPrepared<SignalRow>(
    tx,
    `SELECT ${SIGNAL_COLUMNS} FROM signals WHERE strategy_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
    [strategyId, sequence, limit],
  );
  return rows.map(signalOf);
}

/** Returns the last sequence of the strategy; 0 if it has no signals. */
export async function lastSequenceOf(tx: Tx, strategyId: string): Promise<number> {
  const [row] = await queryPrepared<{ last_sequence: string }>(
    tx,
    'SELECT last_sequence FROM strategy_sequences WHERE strategy_id = $1',
    [strategyId],
  );
  return Number(row?.last_sequence ?? 0);
}

/** Returns the emitted state of the lots that these trades opened; lots without signals are absent. */
export async function loadEmittedLots(
  tx: Tx,
  lotTradeIds: readonly string[],
): Promise<ReadonlyMap<string, EmittedLotState>> {
  if (lotTradeIds.length === 0) return new Map();
  const rows = await queryPrepared<
    Omit<EmittedLotState, 'firstSequence'> & { tradeId: string; firstSequence: string }
  >(
    tx,
    `SELECT requested.id AS "tradeId", last.lot_first_sequence AS "firstSequence", last.lot_opened_at AS "openedAt",
       trim_scale(last.cumulative_amount)::text AS "cumulativeAmount",
       trim_scale(last.lot_amount_after)::text AS "openAmount"
     FROM unnest($1::uuid[]) AS requested (id)
     CROSS JOIN LATERAL (
       SELECT lot_first_sequence, lot_opened_at, cumulative_amount, lot_amount_after FROM signals
       WHERE lot_trade_id = requested.id ORDER BY sequence DESC LIMIT 1) AS last`,
    [lotTradeIds],
  );
  return new Map(
    rows.map(({ tradeId, firstSequence, ...state }) => [
      tradeId,
      { ...state, firstSequence: Number(firstSequence) },
    ]),
  );
}

/** Reserves sequences; returns each strategy's last sequence before them. Locks the rows in the order of ids. */
async function reserveSequences(
  tx: Tx,
  counts: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const ids = [...counts.keys()].sort();
  const rows = await queryPrepared<{ strategy_id: string; last_sequence: string }>(
    tx,
    `INSERT INTO strategy_sequences AS s (strategy_id, last_sequence)
     SELECT id, count FROM unnest($1::uuid[], $2::bigint[]) AS reserved (id, count) ORDER BY id
     ON CONFLICT (strategy_id) DO UPDATE SET last_sequence = s.last_sequence + excluded.last_sequence
     RETURNING strategy_id, last_sequence, pg_notify('${SIGNALS_CHANNEL}', strategy_id::text)`,
    [ids, ids.map((id) => counts.get(id))],
  );
  return new Map(
    rows.map(({ strategy_id, last_sequence }) => [
      strategy_id,
      Number(last_sequence) - counts.get(strategy_id)!,
    ]),
  );
}

/** The alias `given` is the signal to insert; see `insertMany`. */
const LEADER_RATIO = `CASE WHEN given."leaderEquity" > 0
  THEN round(given."filledAmount" * given."referencePrice" / given."leaderEquity", 18) END`;

/** The column, its type in the database, and the field that it stores. */
const WRITTEN_COLUMNS = [
  ['id', 'uuid', 'id'],
  ['strategy_id', 'uuid', 'strategyId'],
  ['sequence', 'bigint', 'sequence'],
  ['kind', 'text', 'kind'],
  ['side', 'text', 'side'],
  ['trade_pair_id', 'uuid', 'tradePairId'],
  ['symbol', 'text', 'symbol'],
  ['trading_type', 'text', 'tradingType'],
  ['exchange_account_id', 'uuid', 'exchangeAccountId'],
  ['lot_trade_id', 'uuid', 'lotTradeId'],
  ['lot_first_sequence', 'bigint', 'lotFirstSequence'],
  ['lot_opened_at', 'timestamptz', 'lotOpenedAt'],
  ['lot_order_amount', 'numeric', 'lotOrderAmount'],
  ['source_trade_id', 'uuid', 'sourceTradeId'],
  ['source_fill_id', 'uuid', 'sourceFillId'],
  ['filled_amount', 'numeric', 'filledAmount'],
  ['cumulative_amount', 'numeric', 'cumulativeAmount'],
  ['lot_amount_before', 'numeric', 'lotAmountBefore'],
  ['lot_amount_after', 'numeric', 'lotAmountAfter'],
  ['exit_amount', 'numeric', 'exitAmount'],
  ['reference_price', 'numeric', 'referencePrice'],
  ['leader_equity', 'numeric', 'leaderEquity'],
  ['signal_at', 'timestamptz', 'signalAt'],
] as const satisfies readonly (readonly [string, string, keyof Signal])[];

const SIGNAL_COLUMNS = [
  ...WRITTEN_COLUMNS.map(([column, type, member]) => {
    const value = type === 'numeric' ? `trim_scale(${column})::text` : column;
    return `${value} AS "${member}"`;
  }),
  'trim_scale(leader_ratio)::text AS "leaderRatio"',
  'emitted_at AS "emittedAt"',
].join(', ');

type SignalRow = Omit<Signal, 'sequence' | 'lotFirstSequence'> & {
  readonly sequence: string;
  readonly lotFirstSequence: string;
};

const signalOf = (row: SignalRow): Signal => ({
  ...row,
  sequence: Number(row.sequence),
  lotFirstSequence: Number(row.lotFirstSequence),
});
