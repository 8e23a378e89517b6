/**
 * Reads signals as subscribers see them, together with who may read them.
 *
 * One statement reads both, in one database snapshot. If the user may read the strategy in that snapshot, they may read
 * all signals of the page. A page that grants access therefore never contains a signal that was emitted after the user
 * lost access.
 */
import {
  type Decimal,
  encodeId,
  SIGNAL_AGE_DEFAULT_MS,
  type SignalKind,
  type TradeSide,
  type TradeSignal,
  type TradeType,
  type TradingType,
} from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { coarse, coarseFraction, divideDecimals, formatInstant } from '../../values/index.js';

/** Who may read a strategy: its owner and, if it is public and active, every user. */
export interface SignalAccess {
  readonly ownerId: string;
  readonly isPublic: boolean;
}

export const mayRead = ({ ownerId, isPublic }: SignalAccess, userId: string): boolean =>
  isPublic || ownerId === userId;

const ACCESS = `st.user_id AS "ownerId", st.visibility = 'PUBLIC' AND st.status = 'ACTIVE' AS "isPublic"`;

export interface SignalHead extends SignalAccess {
  readonly lastSequence: number;
}

/** Returns the last sequence of a strategy and who may read it; undefined if it does not exist or was removed. */
export async function readSignalHead(tx: Tx, strategyId: string): Promise<SignalHead | undefined> {
  const [row] = await queryPrepared<SignalAccess & { lastSequence: string }>(
    tx,
    `SELECT ${ACCESS}, coalesce(last.last_sequence, 0) AS "lastSequence"
     FROM strategies st LEFT JOIN strategy_sequences last ON last.strategy_id = st.id
     WHERE st.id = $1 AND st.deleted_at IS NULL`,
    [strategyId],
  );
  return row && { ...row, lastSequence: Number(row.lastSequence) };
}

/** One signal as the strategy's owner sees it, and as every other user sees it. */
export interface RenderedSignal {
  readonly sequence: number;
  readonly forOwner: TradeSignal;
  readonly forOthers: TradeSignal;
}

export interface SignalPage {
  readonly access: SignalAccess;
  readonly signals: readonly RenderedSignal[];
}

/** Selects the rendering that a user may see. The same user always gets the same object. */
export const renderingFor = (
  signal: RenderedSignal,
  { ownerId }: Pick<SignalAccess, 'ownerId'>,
  userId: string,
): TradeSignal => (ownerId === userId ? signal.forOwner : signal.forOthers);

/**
 * Returns at most `limit` signals of a strategy after `sequence`, in order; undefined if the strategy does not exist or
 * was removed.
 */
export async function tradeSignalsAfter(
  tx: Tx,
  strategyId: string,
  sequence: number,
  limit: number,
): Promise<SignalPage | undefined> {
  // Joins `trades` directly, because the trades feature depends on this one and cannot be imported.
  const rows = await queryPrepared<SignalAccess & (TradeSignalRow | { id: null })>(
    tx,
    `SELECT ${ACCESS}, page.id, page."strategyId", page.sequence, page.kind, page.symbol, page."tradingType", page.side,
       page."orderType", page.price, page."stopPrice", page."filledAmount", page."leaderRatio", page."exitAmount",
       page."lotAmountBefore", page."referencePrice", page."sourceTradeId", page."emittedAt", page."signalAt"
     FROM strategies st LEFT JOIN LATERAL (
       SELECT s.id, s.strategy_id AS "strategyId", s.sequence, s.kind, s.symbol, s.trading_type AS "tradingType",
         s.side, t.type AS "orderType", trim_scale(t.price)::text AS price,
         trim_scale(t.stop_price)::text AS "stopPrice", trim_scale(s.filled_amount)::text AS "filledAmount",
         trim_scale(s.leader_ratio)::text AS "leaderRatio", trim_scale(s.exit_amount)::text AS "exitAmount",
         trim_scale(s.lot_amount_before)::text AS "lotAmountBefore",
         trim_scale(s.reference_price)::text AS "referencePrice", s.source_trade_id AS "sourceTradeId",
         s.emitted_at AS "emittedAt", s.signal_at AS "signalAt"
       FROM signals s JOIN trades t ON t.id = s.source_trade_id
       WHERE s.strategy_id = st.id AND s.sequence > $2 ORDER BY s.sequence LIMIT $3
     ) page ON true
     WHERE st.id = $1 AND st.deleted_at IS NULL ORDER BY page.sequence`,
    [strategyId, sequence, limit],
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  return { access: first, signals: rows.flatMap((row) => (row.id === null ? [] : [renderSignal(row)])) };
}

interface TradeSignalRow {
  readonly id: string;
  readonly strategyId: string;
  readonly sequence: string;
  readonly kind: SignalKind;
  readonly symbol: string;
  readonly tradingType: TradingType;
  readonly side: TradeSide;
  readonly orderType: TradeType;
  readonly price: Decimal | null;
  readonly stopPrice: Decimal | null;
  readonly filledAmount: Decimal;
  readonly leaderRatio: Decimal | null;
  readonly exitAmount: Decimal;
  readonly lotAmountBefore: Decimal;
  readonly referencePrice: Decimal;
  readonly sourceTradeId: string;
  readonly emittedAt: Date;
  readonly signalAt: Date;
}

function renderSignal(row: TradeSignalRow): RenderedSignal {
  const forOwner = viewSignal(row);
  return { sequence: forOwner.sequence, forOwner, forOthers: maskSignal(forOwner) };
}

function maskSignal({ leader_ratio, position_fraction_closed, ...signal }: TradeSignal): TradeSignal {
  return {
    ...signal,
    filled_amount: null,
    ...(leader_ratio === undefined ? {} : { leader_ratio: coarse(leader_ratio) }),
    ...(position_fraction_closed === undefined
      ? {}
      : { position_fraction_closed: coarseFraction(position_fraction_closed) }),
  };
}

function viewSignal(row: TradeSignalRow): TradeSignal {
  const isExit = row.exitAmount !== '0' && row.lotAmountBefore !== '0';
  return {
    id: encodeId('sig', row.id),
    sequence: Number(row.sequence),
    strategy_id: encodeId('str', row.strategyId),
    kind: row.kind,
    symbol: row.symbol,
    trading_type: row.tradingType,
    side: row.side,
    order_type: row.orderType,
    ...(row.price === null ? {} : { price: row.price }),
    ...(row.stopPrice === null ? {} : { stop_price: row.stopPrice }),
    filled_amount: row.filledAmount,
    ...(row.leaderRatio === null ? {} : { leader_ratio: row.leaderRatio }),
    ...(isExit ? { position_fraction_closed: divideDecimals(row.exitAmount, row.lotAmountBefore) } : {}),
    reference_price: row.referencePrice,
    source_trade_id: encodeId('trd', row.sourceTradeId),
    emitted_at: formatInstant(row.emittedAt),
    expires_at: formatInstant(new Date(row.signalAt.getTime() + SIGNAL_AGE_DEFAULT_MS)),
  };
}
