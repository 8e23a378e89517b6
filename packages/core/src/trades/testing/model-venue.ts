/**
 * A small exact model of one account at an exchange. All amounts are integers, and a BTC costs 10 USDT. Each change
 * happens in a millisecond and is reported like on a stream: the order first, then the balances that it changed.
 */
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { venueFillOf, venueOrderOf } from './orders-under-test.js';

export const MODEL_ASSETS = ['USDT', 'BTC', 'BNB'] as const;
export type ModelAsset = (typeof MODEL_ASSETS)[number];
export const MODEL_PRICES: Readonly<Record<ModelAsset, number>> = { USDT: 1, BTC: 10, BNB: 5 };

type Amounts = Record<ModelAsset, { free: number; locked: number }>;

export interface ModelOrder {
  readonly id: string;
  readonly side: 'BUY' | 'SELL';
  readonly isMarket: boolean;
  readonly amount: number;
  readonly acceptedAt: Date;
  filled: number;
  status: VenueOrder['status'];
  readonly fills: VenueFill[];
}

export interface OrderMessage {
  readonly kind: 'order';
  readonly order: VenueOrder;
  readonly fills: readonly VenueFill[];
}

export interface BalancesMessage {
  readonly kind: 'balances';
  readonly balances: Readonly<Record<string, { readonly free: string; readonly locked: string }>>;
  readonly at: Date;
}

export class ModelVenue {
  readonly orders = new Map<string, ModelOrder>();
  /** What the fees of all fills cost, in USDT. */
  feesPaid = 0;
  private nowMs: number;

  constructor(
    private readonly amounts: Amounts,
    start: Date,
    private readonly emit: (message: OrderMessage | BalancesMessage) => void,
  ) {
    this.nowMs = start.getTime();
  }

  get now(): Date {
    return new Date(this.nowMs);
  }

  advance(ms: number): void {
    this.nowMs += ms;
  }

  free(asset: ModelAsset): number {
    return this.amounts[asset].free;
  }

  total(asset: ModelAsset): number {
    return this.amounts[asset].free + this.amounts[asset].locked;
  }

  snapshot(): BalancesMessage {
    return this.balancesOf(MODEL_ASSETS);
  }

  /** Accepts an order. A market order fills at once and locks nothing. Does nothing if too little is free. */
  accept(
    id: string,
    { side, amount, isMarket }: Pick<ModelOrder, 'side' | 'amount' | 'isMarket'>,
    fee: ModelAsset,
  ) {
    const [spent, cost] = side === 'BUY' ? (['USDT', amount * 10] as const) : (['BTC', amount] as const);
    if (this.orders.has(id) || this.amounts[spent].free < cost) return;
    const order: ModelOrder = {
      id,
      side,
      isMarket,
      amount,
      acceptedAt: this.now,
      filled: 0,
      status: 'OPEN',
      fills: [],
    };
    this.orders.set(id, order);
    if (isMarket) this.fill(order, amount, fee);
    else {
      this.amounts[spent].free -= cost;
      this.amounts[spent].locked += cost;
      this.report(order, []);
      this.emit(this.balancesOf([spent]));
    }
  }

  /** Fills an open order at its price. The fee is 1 unit of the received asset, or of BNB. */
  fill(order: ModelOrder, amount: number, feeAsset: ModelAsset): void {
    if (order.status !== 'OPEN' || amount <= 0) return;
    const filled = Math.min(amount, order.amount - order.filled);
    const [spent, received] = order.side === 'BUY' ? (['USDT', 'BTC'] as const) : (['BTC', 'USDT'] as const);
    const [cost, proceeds] = order.side === 'BUY' ? [filled * 10, filled] : [filled, filled * 10];
    const fee = feeAsset === 'BNB' && this.amounts.BNB.free > 0 ? 'BNB' : received;
    this.amounts[spent][order.isMarket ? 'free' : 'locked'] -= cost;
    this.amounts[received].free += proceeds;
    this.amounts[fee].free -= 1;
    this.feesPaid += MODEL_PRICES[fee];
    order.filled += filled;
    if (order.filled === order.amount) order.status = 'FILLED';
    const reported = venueFillOf(order.id, String(order.fills.length), String(filled), {
      side: order.side,
      price: '10',
      fee: { amount: '1', currency: fee },
      executedAt: this.now,
    });
    order.fills.push(reported);
    this.report(order, [reported]);
    this.emit(this.balancesOf([...new Set<ModelAsset>([spent, received, fee])]));
  }

  cancel(order: ModelOrder): void {
    if (order.status !== 'OPEN') return;
    const rest = order.amount - order.filled;
    const [asset, locked] = order.side === 'BUY' ? (['USDT', rest * 10] as const) : (['BTC', rest] as const);
    this.amounts[asset].locked -= locked;
    this.amounts[asset].free += locked;
    order.status = 'CANCELLED';
    this.report(order, []);
    this.emit(this.balancesOf([asset]));
  }

  /** Returns the order as a look-up finds it now, with all of its fills. */
  find(id: string): OrderMessage | null {
    const order = this.orders.get(id);
    return order === undefined ? null : this.messageOf(order, [...order.fills]);
  }

  private report(order: ModelOrder, fills: readonly VenueFill[]): void {
    this.emit(this.messageOf(order, fills));
  }

  private messageOf(order: ModelOrder, fills: readonly VenueFill[]): OrderMessage {
    const { id, side, isMarket, amount, filled, status, acceptedAt } = order;
    return {
      kind: 'order',
      fills,
      order: venueOrderOf(id, {
        side,
        type: isMarket ? 'MARKET' : 'LIMIT',
        timeInForce: 'GTC',
        price: isMarket ? undefined : '10',
        amount: String(amount),
        filledAmount: String(filled),
        status,
        createdAt: acceptedAt,
        updatedAt: this.now,
      }),
    };
  }

  private balancesOf(assets: readonly ModelAsset[]): BalancesMessage {
    const amountsOf = (asset: ModelAsset) => ({
      free: String(this.amounts[asset].free),
      locked: String(this.amounts[asset].locked),
    });
    return {
      kind: 'balances',
      at: this.now,
      balances: Object.fromEntries(assets.map((asset) => [asset, amountsOf(asset)])),
    };
  }
}
