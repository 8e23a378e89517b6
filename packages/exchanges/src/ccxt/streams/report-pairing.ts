/**
 * Joins orders and fills that an exchange reports in separate messages.
 *
 * 1. An order is passed on with the fills that led to it. If its filled amount exceeds the fills reported so far, it
 *    waits for them; if they do not arrive in time, it is passed on without them, and the caller reads them.
 * 2. A fill is passed on with the next report of its order, at most once.
 * 3. The memory is bounded: the oldest orders are forgotten first.
 */
import { Precise } from 'ccxt/js/src/base/Precise';
import type { VenueFill, VenueOrder } from '../../port.js';

interface PairedOrder {
  /** The sum of the fills that were reported, and of what counted as reported. */
  filled: string;
  /** Fills that were not passed on yet. */
  fills: VenueFill[];
  readonly fillIds: Set<string>;
  /** The report that waits for its fills. */
  held: VenueOrder | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** How long an order waits for its fills. */
const WAIT_MS = 2_000;
const ORDERS_MAX = 5_000;

export class ReportPairing {
  readonly #orders = new Map<string, PairedOrder>();

  constructor(
    private readonly emit: (order: VenueOrder, fills: readonly VenueFill[]) => void,
    private readonly waitMs = WAIT_MS,
  ) {}

  addOrder(order: VenueOrder): void {
    const paired = this.#pairedFor(order.exchangeOrderId);
    if (paired.held !== undefined && isOlder(order, paired.held)) return;
    paired.held = order;
    if (Precise.stringLe(order.filledAmount, paired.filled)) this.#release(paired);
    else paired.timer ??= setTimeout(() => this.#release(paired), this.waitMs).unref();
  }

  addFill(fill: VenueFill): void {
    const paired = this.#pairedFor(fill.exchangeOrderId);
    if (paired.fillIds.has(fill.exchangeFillId)) return;
    paired.fillIds.add(fill.exchangeFillId);
    paired.fills.push(fill);
    paired.filled = Precise.stringAdd(paired.filled, fill.amount) ?? paired.filled;
    if (paired.held !== undefined && Precise.stringLe(paired.held.filledAmount, paired.filled))
      this.#release(paired);
  }

  /** Passes nothing on any more. */
  close(): void {
    for (const { timer } of this.#orders.values()) clearTimeout(timer);
    this.#orders.clear();
  }

  #release(paired: PairedOrder): void {
    clearTimeout(paired.timer);
    paired.timer = undefined;
    const { held, fills } = paired;
    if (held === undefined) return;
    paired.held = undefined;
    paired.fills = [];
    // What did not arrive counts as reported, so that the next report does not wait for it again.
    if (Precise.stringGt(held.filledAmount, paired.filled)) paired.filled = held.filledAmount;
    const { venueClientOrderId } = held;
    this.emit(
      held,
      fills.map((fill) => ({ ...fill, venueClientOrderId })),
    );
  }

  #pairedFor(exchangeOrderId: string): PairedOrder {
    const existing = this.#orders.get(exchangeOrderId);
    if (existing !== undefined) return existing;
    const paired = { filled: '0', fills: [], fillIds: new Set<string>(), held: undefined, timer: undefined };
    this.#orders.set(exchangeOrderId, paired);
    if (this.#orders.size > ORDERS_MAX) {
      const [oldest] = this.#orders.keys();
      if (oldest !== undefined) {
        clearTimeout(this.#orders.get(oldest)?.timer);
        this.#orders.delete(oldest);
      }
    }
    return paired;
  }
}

/** Whether a report is older than the one that waits: exchanges may send reports out of order. */
function isOlder(order: VenueOrder, held: VenueOrder): boolean {
  return Precise.stringLt(order.filledAmount, held.filledAmount) === true;
}
