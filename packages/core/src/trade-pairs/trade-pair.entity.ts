import type { PairInactiveReason, TimeInForce, TradeType, TradingType } from '@trading-automation/contracts';
import { DecimalColumn, RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

/** A pair that an exchange lists or has listed, with the exchange's rules for orders on it. */
@Entity('trade_pairs')
export class TradePairEntity extends RecordColumns {
  @Column({ type: 'text' })
  exchange!: string;

  /** Unique for each exchange and trading type. A replaced pair gives it up: see `listedSymbol`. */
  @Column({ type: 'text' })
  symbol!: string;

  /** The symbol that a replaced pair had; null for other pairs. */
  @Column({ name: 'listed_symbol', type: 'text', nullable: true })
  listedSymbol!: string | null;

  @Column({ name: 'exchange_symbol', type: 'text' })
  exchangeSymbol!: string;

  @Column({ type: 'text' })
  base!: string;

  @Column({ type: 'text' })
  quote!: string;

  @Column({ type: 'text', nullable: true })
  settle!: string | null;

  @Column({ name: 'trading_type', type: 'text' })
  tradingType!: TradingType;

  @DecimalColumn({ name: 'price_tick' })
  priceTick!: string;

  @DecimalColumn({ name: 'amount_step' })
  amountStep!: string;

  @DecimalColumn({ name: 'min_amount' })
  minAmount!: string;

  @DecimalColumn({ name: 'max_amount', nullable: true })
  maxAmount!: string | null;

  @DecimalColumn({ name: 'min_notional' })
  minNotional!: string;

  @DecimalColumn({ name: 'max_notional', nullable: true })
  maxNotional!: string | null;

  /** The step that the amount of a MARKET order must also respect; null if no such step applies. */
  @DecimalColumn({ name: 'market_amount_step', nullable: true })
  marketAmountStep!: string | null;

  /** The maximum amount of a MARKET order; null if only `maxAmount` applies. */
  @DecimalColumn({ name: 'market_max_amount', nullable: true })
  marketMaxAmount!: string | null;

  @DecimalColumn({ name: 'contract_size', nullable: true })
  contractSize!: string | null;

  @DecimalColumn({ name: 'maker_fee', nullable: true })
  makerFee!: string | null;

  @DecimalColumn({ name: 'taker_fee', nullable: true })
  takerFee!: string | null;

  @Column({ name: 'order_types', type: 'text', array: true })
  orderTypes!: TradeType[];

  @Column({ name: 'time_in_forces', type: 'text', array: true })
  timeInForces!: TimeInForce[];

  /** The last price that a worker received, in quote currency; the cost of a market order is estimated from it. */
  @DecimalColumn({ name: 'last_price', nullable: true })
  lastPrice!: string | null;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive!: boolean;

  /** Null also for a pair that an earlier release deactivated. Has no meaning while the pair is active. */
  @Column({ name: 'inactive_reason', type: 'text', nullable: true })
  inactiveReason!: PairInactiveReason | null;

  @Column({ name: 'replaced_by', type: 'uuid', nullable: true })
  replacedBy!: string | null;

  @Column({ name: 'rules_updated_at', type: 'timestamptz' })
  rulesUpdatedAt!: Date;
}
