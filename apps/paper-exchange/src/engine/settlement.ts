import type { BookFill, OrderSide } from './book.js';
import { FEES, HOUSE } from './ledger.js';
import type { Fill, Order, PublicTrade, Report } from './order.js';
import { isLimit } from './order.rules.js';
import type { State } from './state.js';
import { baseUnits, findMarket, type MarketSpec, quoteUnits } from './symbols.js';

/** Fees in millionths of the amount received. The house pays no fees. */
export interface FeeRates {
  readonly makerPpm: number;
  readonly takerPpm: number;
}

interface Match {
  readonly fill: BookFill;
  readonly takerSide: OrderSide;
  /** The order of the taker; undefined if the taker is the house. */
  readonly taker: Order | undefined;
  /** The order of the maker; undefined if the maker is the house. */
  readonly maker: Order | undefined;
}

/** Settles one match at the maker's price: exchanges base for quote and deducts each fee from the amount received. */
export class Settlement {
  constructor(
    private readonly state: State,
    private readonly fees: FeeRates,
    private readonly now: () => number,
  ) {}

  settle(spec: MarketSpec, match: Match): { trade: PublicTrade; reports: Report[] } {
    const { ticks, lots } = match.fill;
    const trade: PublicTrade = {
      id: this.state.nextTradeId++,
      symbol: spec.id,
      priceTicks: ticks,
      lots,
      quote: quoteUnits(spec, ticks, lots),
      isBuyerMaker: match.takerSide === 'SELL',
      takerOrderId: match.taker?.id ?? 0,
      at: this.now(),
    };
    this.state.lastTicks.set(spec.id, ticks);
    const [buyer, seller] =
      match.takerSide === 'BUY' ? [match.taker, match.maker] : [match.maker, match.taker];
    const base = baseUnits(spec, lots);
    this.pay(buyer, seller, spec.quote, trade.quote);
    this.pay(seller, buyer, spec.base, base);
    const reports: Report[] = [];
    for (const [order, isMaker] of [
      [match.maker, true],
      [match.taker, false],
    ] as const) {
      if (order !== undefined) reports.push(this.record(spec, order, trade, isMaker));
    }
    return { trade, reports };
  }

  private pay(from: Order | undefined, to: Order | undefined, asset: string, amount: bigint): void {
    const receiver = to?.accountId ?? HOUSE;
    if (from === undefined) {
      this.state.ledger.payFree(HOUSE, receiver, asset, amount);
      return;
    }
    this.state.ledger.payLocked(from.accountId, receiver, asset, amount);
    from.locked -= amount;
  }

  private record(spec: MarketSpec, order: Order, trade: PublicTrade, isMaker: boolean): Report {
    const [feeAsset, fee] = this.feeOf(spec, order, trade, isMaker);
    this.state.ledger.payFree(order.accountId, FEES, feeAsset, fee);
    const fill: Fill = {
      id: trade.id,
      orderId: order.id,
      accountId: order.accountId,
      clientOrderId: order.clientOrderId,
      symbol: spec.id,
      side: order.side,
      priceTicks: trade.priceTicks,
      lots: trade.lots,
      quote: trade.quote,
      fee,
      feeAsset,
      isMaker,
      executedAt: trade.at,
    };
    this.state.addFill(fill);
    order.executedLots += trade.lots;
    order.executedQuote += trade.quote;
    order.status = order.executedLots === order.lots ? 'FILLED' : 'PARTIALLY_FILLED';
    order.updatedAt = trade.at;
    this.releaseSurplus(spec, order);
    return { execution: 'TRADE', order, fill };
  }

  /**
   * Returns the fee, rounded down to a unit in favour of the user. An account with a fee asset pays the value of its fee
   * in that asset, at the last price; if it has too little of it, it pays in the received asset, as at Binance.
   */
  private feeOf(
    spec: MarketSpec,
    order: Order,
    trade: PublicTrade,
    isMaker: boolean,
  ): [asset: string, amount: bigint] {
    const ppm = BigInt(isMaker ? this.fees.makerPpm : this.fees.takerPpm);
    const [received, amount] =
      order.side === 'BUY' ? [spec.base, baseUnits(spec, trade.lots)] : [spec.quote, trade.quote];
    const asset = this.state.feeAssetOf(order.accountId);
    if (asset !== undefined && asset !== received) {
      const fee = this.inAsset(spec, asset, (trade.quote * ppm) / 1_000_000n);
      if (fee !== undefined && this.state.ledger.balance(order.accountId, asset).free >= fee)
        return [asset, fee];
    }
    return [received, (amount * ppm) / 1_000_000n];
  }

  /** Converts units of the market's quote asset to `asset` at its last price; undefined without a price. */
  private inAsset(spec: MarketSpec, asset: string, quote: bigint): bigint | undefined {
    if (asset === spec.quote) return quote;
    const market = findMarket(`${asset}/${spec.quote}`);
    const ticks = market === undefined ? undefined : this.state.lastTicks.get(market.id);
    if (market === undefined || ticks === undefined) return undefined;
    return (quote * 10n ** BigInt(market.tickDecimals)) / BigInt(ticks);
  }

  /**
   * Releases the locked amount that the order no longer needs. A BUY that filled below its limit price needs only the
   * limit price × remaining lots.
   */
  private releaseSurplus(spec: MarketSpec, order: Order): void {
    const remainingLots = order.lots - order.executedLots;
    if (remainingLots === 0) this.releaseTo(order, 0n);
    else if (order.side === 'BUY' && isLimit(order.type)) {
      this.releaseTo(order, quoteUnits(spec, order.priceTicks, remainingLots));
    }
  }

  /** Releases the locked amount of an order down to `needed`. */
  releaseTo(order: Order, needed: bigint): void {
    const spec = findMarket(order.symbol);
    if (spec === undefined) throw new Error(`Market ${order.symbol} does not exist.`);
    const surplus = order.locked - needed;
    if (surplus <= 0n) return;
    this.state.ledger.unlock(order.accountId, order.side === 'BUY' ? spec.quote : spec.base, surplus);
    order.locked = needed;
  }
}
