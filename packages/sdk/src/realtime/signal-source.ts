/**
 * Provides the signals of a strategy in order. With a starting sequence, or once the first signal has arrived, no signal
 * is lost or repeated, even after a disconnect.
 *
 * While the buffer is full, the subscription is stopped, and the server keeps the signals. The subscription resumes
 * once half of the buffer was read.
 */
import type { DecimalForm } from '../core/decimals.js';
import type { TradeSignal } from '../generated/records.js';
import type { StreamSource } from './reconnecting-stream.js';
import type { OperationPayload } from './shared-socket.js';

const BUFFER_MAX = 1_000;

/** Requests the fields of a signal under their REST names. */
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

/** The fields that are null in REST, too, for some readers. */
export const NULLABLE: readonly string[] = ['filled_amount'];

export class SignalSource<D extends DecimalForm> implements StreamSource<TradeSignal<D>> {
  readonly isEndless = true;
  private readonly buffer: TradeSignal<D>[] = [];
  private isFull = false;

  constructor(
    private readonly strategyId: string,
    /** Sequence of the last signal that was buffered; at first, the `afterSequence` of the caller. */
    private lastSequence: number | undefined,
    private readonly decimals: DecimalForm,
  ) {}

  payload(): OperationPayload {
    const after = this.lastSequence === undefined ? {} : { after: this.lastSequence };
    return { query: SIGNAL_DOCUMENT, variables: { strategy: this.strategyId, ...after } };
  }

  push(data: unknown): boolean {
    const { tradeSignal } = data as { tradeSignal: Record<string, unknown> & { sequence: number } };
    const { sequence } = tradeSignal;
    if (this.lastSequence !== undefined && sequence <= this.lastSequence) return true;
    if (this.lastSequence !== undefined && sequence !== this.lastSequence + 1) return false;
    if (!this.hasCapacity()) return false;
    this.lastSequence = sequence;
    this.buffer.push(this.read(tradeSignal));
    this.isFull = this.buffer.length >= BUFFER_MAX;
    return true;
  }

  shift(): TradeSignal<D> | undefined {
    return this.buffer.shift();
  }

  hasCapacity(): boolean {
    if (this.buffer.length <= BUFFER_MAX / 2) this.isFull = false;
    return !this.isFull;
  }

  /** Converts a signal to its REST form: omits null fields, except those that REST shows as null, and converts decimals. */
  private read(signal: Record<string, unknown>): TradeSignal<D> {
    const members = Object.entries(signal)
      .filter(([name, value]) => value !== null || NULLABLE.includes(name))
      .map(([name, value]) => [
        name,
        this.decimals === 'number' && value !== null && SIGNAL_DECIMALS.includes(name)
          ? Number(value)
          : value,
      ]);
    return Object.fromEntries(members) as TradeSignal<D>;
  }
}
