/**
 * The signals of a strategy, in their order: none is left out and none comes twice, whatever was cut in between.
 *
 * Beyond a bound the server is asked for no more; it keeps what comes, and is asked for the rest once most of it was read.
 */
import type { DecimalForm } from '../core/decimals.js';
import type { TradeSignal } from '../generated/records.js';
import type { StreamSource } from './reconnecting-stream.js';
import type { OperationPayload } from './shared-socket.js';

const KEPT_MAX = 1_000;

/** The members of the record, under the names that REST has for them. */
export const SIGNAL_DOCUMENT = `subscription ($strategy: ID!, $after: Long) {
  tradeSignal(strategyId: $strategy, afterSequence: $after) {
    id sequence strategy_id: strategyId kind symbol trading_type: tradingType side order_type: orderType price
    stop_price: stopPrice filled_amount: filledAmount leader_ratio: leaderRatio
    position_fraction_closed: positionFractionClosed reference_price: referencePrice source_trade_id: sourceTradeId
    emitted_at: emittedAt expires_at: expiresAt
  }
}`;
export const SIGNAL_DECIMALS: readonly string[] = [
  'price',
  'stop_price',
  'filled_amount',
  'leader_ratio',
  'position_fraction_closed',
  'reference_price',
];

export class SignalSource<D extends DecimalForm> implements StreamSource<TradeSignal<D>> {
  readonly isEndless = true;
  private readonly kept: TradeSignal<D>[] = [];
  private isFull = false;

  constructor(
    private readonly strategyId: string,
    /** Of the last that is kept or was handed out; undefined where there is none yet. */
    private last: number | undefined,
    private readonly decimals: DecimalForm,
  ) {}

  payload(): OperationPayload {
    const after = this.last === undefined ? {} : { after: this.last };
    return { query: SIGNAL_DOCUMENT, variables: { strategy: this.strategyId, ...after } };
  }

  push(data: unknown): boolean {
    const { tradeSignal } = data as { tradeSignal: Record<string, unknown> & { sequence: number } };
    const { sequence } = tradeSignal;
    if (this.last !== undefined && sequence <= this.last) return true;
    if (this.last !== undefined && sequence !== this.last + 1) return false;
    if (!this.hasCapacity()) return false;
    this.last = sequence;
    this.kept.push(this.read(tradeSignal));
    this.isFull = this.kept.length >= KEPT_MAX;
    return true;
  }

  shift(): TradeSignal<D> | undefined {
    return this.kept.shift();
  }

  hasCapacity(): boolean {
    if (this.kept.length <= KEPT_MAX / 2) this.isFull = false;
    return !this.isFull;
  }

  /** As REST writes it: what is absent there is null here. */
  private read(signal: Record<string, unknown>): TradeSignal<D> {
    const members = Object.entries(signal)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [
        name,
        this.decimals === 'number' && SIGNAL_DECIMALS.includes(name) ? Number(value) : value,
      ]);
    return Object.fromEntries(members) as TradeSignal<D>;
  }
}
