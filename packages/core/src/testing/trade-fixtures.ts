import {
  type DecisionCode,
  encodeId,
  type FinalOutcome,
  type TradeSide,
  type TradeStatus,
} from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import { backfillLots } from '../trades/index.js';
import type { CoreUnderTest, RecordIds } from './core-under-test.js';

/** A fill to insert. */
export interface FillFixture {
  readonly at: string;
  readonly price: string;
  readonly amount: string;
  readonly fee?: string;
  readonly feeCurrency?: string;
  /** The value in quote currency of a fee in a third asset. Default: unknown. */
  readonly feeValue?: string;
}

export interface OrderFixture {
  readonly owner: Actor;
  readonly account: RecordIds;
  readonly pair: RecordIds;
  readonly side: TradeSide;
  readonly fills: readonly FillFixture[];
  /** Default: FILLED. */
  readonly status?: TradeStatus;
  /** The time at which the trade was created. Default: the time of its first fill. */
  readonly at?: string;
  /** Set for a trade of a leader: the uuid of the strategy. */
  readonly strategy?: string | undefined;
  /** Set for a copy: the uuid of the copied strategy. */
  readonly copiedStrategy?: string | undefined;
  readonly copy?: CopyFixture | undefined;
}

interface CopyFixture {
  /** The uuid of the copier. */
  readonly copier: string;
  /** The uuid of the trade that opened the leader's lot. */
  readonly lotTrade: string;
  readonly referencePrice: string;
}

export interface DecisionFixture {
  readonly outcome: FinalOutcome;
  readonly code?: DecisionCode;
  readonly latencyMs?: number;
  readonly slippageBps?: string;
  readonly at?: string;
  /** Default: true. */
  readonly isSettled?: boolean;
  /** Set for a decision on a CLOSE: the uuid of the leader's trade that closed the lot. Default: an OPEN of 1. */
  readonly exitTrade?: string;
}

/** Inserts trades as if users had placed them, and fills as if exchanges had reported them. Builds their lots. */
export class TradeFixtures {
  /** Uuids of the accounts whose fills are not booked as lots yet. */
  private readonly unbookedAccounts = new Set<string>();

  constructor(private readonly core: CoreUnderTest) {}

  /** Inserts a trade with its fills; `rebuildLots` books them. */
  async order(order: OrderFixture): Promise<RecordIds> {
    const uuid = newUuid();
    const { owner, account, pair, side, fills, status = 'FILLED' } = order;
    await this.core.rows(
      `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, strategy_id,
         copied_strategy_id, copier_id, source_trade_id, copy, client_order_id, origin, type, side, intent, reduce_only, time_in_force, price, amount,
         requested_amount, filled_amount, reserved_asset, reserved_amount, status, look_at, created_at)
       SELECT $1::uuid, $2, $3, p.id, p.symbol, 'spot', $5, $6, $11, $12, $13, $1::uuid::text, 'API', 'LIMIT', $7, 'OPEN', false, 'GTC', 1,
         greatest(f.filled, 1), greatest(f.filled, 1), f.filled, p.quote, 0, $8, now(), $9
       FROM trade_pairs p, (SELECT coalesce(sum(a), 0) AS filled FROM unnest($10::numeric[]) a) f WHERE p.id = $4`,
      uuid,
      owner.userId,
      account.uuid,
      pair.uuid,
      order.strategy ?? null,
      order.copiedStrategy ?? null,
      side,
      status,
      order.at ?? fills[0]?.at ?? '2026-01-01T00:00:00Z',
      fills.map(({ amount }) => amount),
      order.copy?.copier ?? null,
      order.copy?.lotTrade ?? null,
      order.copy === undefined ? null : JSON.stringify({ reference_price: order.copy.referencePrice }),
    );
    await this.fill(uuid, fills);
    this.unbookedAccounts.add(account.uuid);
    return { uuid, id: encodeId('trd', uuid) };
  }

  private async fill(trade: string, fills: readonly FillFixture[]): Promise<void> {
    await this.core.rows(
      `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
         fee_currency, fee_value, liquidity, executed_at)
       SELECT input.id, t.id, t.exchange_account_id, t.symbol, input.id, input.price, input.amount, input.fee,
         coalesce(input.currency, p.quote), input.fee_value, 'TAKER', input.at
       FROM trades t JOIN trade_pairs p ON p.id = t.trade_pair_id
       CROSS JOIN unnest($2::uuid[], $3::numeric[], $4::numeric[], $5::numeric[], $6::text[], $7::timestamptz[],
         $8::numeric[]) AS input (id, price, amount, fee, currency, at, fee_value)
       WHERE t.id = $1`,
      trade,
      fills.map(() => newUuid()),
      fills.map(({ price }) => price),
      fills.map(({ amount }) => amount),
      fills.map(({ fee }) => fee ?? '0'),
      fills.map(({ feeCurrency }) => feeCurrency ?? null),
      fills.map(({ at }) => at),
      fills.map(({ feeValue }) => feeValue ?? null),
    );
  }

  /** Inserts a signal of a lot and the decision about it. The price of an exit is that of the leader's fill. */
  async decide({ copier, lotTrade, referencePrice }: CopyFixture, decision: DecisionFixture): Promise<void> {
    const signal = newUuid();
    await this.core.rows(
      `INSERT INTO signals (id, strategy_id, sequence, kind, side, trade_pair_id, symbol, trading_type,
         exchange_account_id, lot_trade_id, lot_first_sequence, lot_opened_at, lot_order_amount, source_trade_id,
         source_fill_id, filled_amount, cumulative_amount, lot_amount_before, lot_amount_after, exit_amount,
         reference_price, signal_at)
       SELECT $1, strategy_id, 1 + (SELECT count(*) FROM signals), CASE WHEN x.is_exit THEN 'CLOSE' ELSE 'OPEN' END,
         CASE WHEN x.is_exit THEN 'SELL' ELSE 'BUY' END, trade_pair_id, symbol, 'spot', exchange_account_id, id, 1, now(), 1,
         coalesce($4, id), gen_random_uuid(), 1, 1, x.is_exit::int, 1 - x.is_exit::int, x.is_exit::int,
         coalesce((SELECT price FROM fills WHERE trade_id = $4), $3), now()
       FROM trades, (SELECT $4::uuid IS NOT NULL AS is_exit) x WHERE id = $2`,
      signal,
      lotTrade,
      referencePrice,
      decision.exitTrade ?? null,
    );
    await this.core.rows(
      `INSERT INTO decisions (id, user_id, copier_id, strategy_id, exchange_account_id, signal_id, sequence,
         source_trade_id, lot_trade_id, symbol, kind, reference_price, signal_at, outcome, code, inputs, target_amount,
         perfect_amount, latency_ms, slippage_bps, is_applied, created_at, settled_at)
       SELECT gen_random_uuid(), c.user_id, c.id, s.strategy_id, c.exchange_account_id, s.id, s.sequence,
         s.source_trade_id, s.lot_trade_id, s.symbol, s.kind, s.reference_price, s.signal_at, $3, $4, '{}', 1,
         CASE s.kind WHEN 'OPEN' THEN 1 END, $5, $6, true,
         coalesce($7, now()), CASE WHEN $8::boolean THEN coalesce($7, now()) END
       FROM signals s, copiers c WHERE s.id = $1 AND c.id = $2`,
      signal,
      copier,
      decision.outcome,
      decision.code ?? null,
      decision.latencyMs ?? null,
      decision.slippageBps ?? null,
      decision.at ?? null,
      decision.isSettled ?? true,
    );
  }

  /** Deletes the lots of all accounts that have new fills, and builds these lots again. */
  async rebuildLots(): Promise<void> {
    const accounts = [...this.unbookedAccounts];
    this.unbookedAccounts.clear();
    if (accounts.length === 0) return;
    for (const statement of [
      'DELETE FROM lot_closures WHERE exchange_account_id = ANY ($1)',
      'DELETE FROM lots WHERE exchange_account_id = ANY ($1)',
      `UPDATE trades SET closed_at = NULL, realized_pnl = NULL
       WHERE exchange_account_id = ANY ($1) AND closed_at IS NOT NULL`,
      `INSERT INTO lot_books (exchange_account_id, trade_pair_id, is_behind)
       SELECT DISTINCT exchange_account_id, trade_pair_id, true FROM trades
       WHERE exchange_account_id = ANY ($1) AND filled_amount > 0
       ON CONFLICT (exchange_account_id, trade_pair_id) DO UPDATE SET last_executed_at = '-infinity',
         last_fill_id = '00000000-0000-0000-0000-000000000000', is_behind = true`,
    ])
      await this.core.rows(statement, accounts);
    await backfillLots(this.core.platform);
  }
}
