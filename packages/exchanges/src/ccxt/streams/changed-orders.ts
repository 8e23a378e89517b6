/**
 * Reads changed orders by calls, for streams that do not report all fields of an order.
 *
 * 1. Changes of an order during its read lead to one further read. Different orders are read at the same time.
 * 2. Orders are passed on in the sequence in which their changes arrived.
 * 3. If the list of fills is behind the order, it is read again a few times.
 * 4. A failed read ends the stream: the caller then reads everything again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExchangeOrderKey } from '../../port.js';
import type { OrderChange } from '../declaration.js';
import type { ReportPairing } from './report-pairing.js';

/** How often, and after which pauses, fills that are missing are read again. */
const RETRY_AFTER_MS = [100, 300, 900];

export class ChangedOrders {
  /** The orders that are being read; true if they changed again meanwhile. */
  readonly #reading = new Map<string, boolean>();
  /** Resolves when all results so far have been passed on. */
  #passedOn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(
    private readonly pairing: ReportPairing,
    private readonly fetchChange: (key: ExchangeOrderKey) => Promise<OrderChange>,
    private readonly onFailed: (error: unknown) => void,
  ) {}

  add(key: ExchangeOrderKey): void {
    const id = key.exchangeOrderId;
    if (this.#reading.has(id)) {
      this.#reading.set(id, true);
      return;
    }
    this.#reading.set(id, false);
    this.#readUntilUnchanged(key)
      .catch((error: unknown) => {
        if (!this.#isClosed) this.onFailed(error);
      })
      .finally(() => this.#reading.delete(id));
  }

  /** Reads nothing any more. */
  close(): void {
    this.#isClosed = true;
  }

  async #readUntilUnchanged(key: ExchangeOrderKey): Promise<void> {
    do {
      this.#reading.set(key.exchangeOrderId, false);
      await this.#read(key);
    } while (!this.#isClosed && this.#reading.get(key.exchangeOrderId) === true);
  }

  async #read(key: ExchangeOrderKey): Promise<void> {
    await this.#readOnce(key);
    for (const pause of RETRY_AFTER_MS) {
      if (this.#isClosed || !this.pairing.lacksFills(key.exchangeOrderId)) return;
      await sleep(pause, undefined, { ref: false });
      await this.#readOnce(key);
    }
  }

  async #readOnce(key: ExchangeOrderKey): Promise<void> {
    if (this.#isClosed) return;
    const change = this.fetchChange(key);
    // A rejection is handled below, when the results before it have been passed on.
    change.catch(() => undefined);
    const passedOn = this.#passedOn.then(async () => this.#passOn(await change));
    this.#passedOn = passedOn.catch(() => undefined);
    await passedOn;
  }

  #passOn({ order, fills }: OrderChange): void {
    if (this.#isClosed) return;
    // An order that waits for fills is passed on once, with the last of them.
    if (order !== null) this.pairing.addOrder(order);
    for (const fill of fills) this.pairing.addFill(fill);
  }
}
