import { contractOf, markOfTicks } from '../engine/futures/contracts.js';
import { FuturesExchange } from '../engine/futures/futures-exchange.js';
import type { AlgoRequest, FuturesOrderRequest } from '../engine/futures/futures-order.js';
import type { FuturesRecord } from '../engine/futures/futures-records.js';
import { FuturesState } from '../engine/futures/futures-state.js';

export const UNIT = 100_000_000n;
export const BTC = contractOf('BTCUSDT');

/** A futures exchange in memory, whose clock only moves if a test moves it. Records are kept as JSON. */
export class TestFutures {
  readonly records: FuturesRecord[] = [];
  readonly state = new FuturesState();
  now = 1_000;
  readonly exchange: FuturesExchange;
  private nextClientId = 1;

  constructor(fees = { makerPpm: 200, takerPpm: 500 }, splitLots?: (lots: number) => readonly number[]) {
    this.exchange = new FuturesExchange({
      state: this.state,
      fees,
      now: () => this.now,
      persist: (record) => void this.records.push(JSON.parse(JSON.stringify(record))),
      ...(splitLots === undefined ? {} : { splitLots }),
    });
  }

  /** Creates an account with this many whole USDT. */
  fund(id: string, usdt: number) {
    const account = this.state.account(id);
    this.exchange.settings.deposit(account, BigInt(usdt) * UNIT);
    return account;
  }

  place(id: string, terms: Partial<FuturesOrderRequest>) {
    return this.exchange.place(this.state.account(id), BTC, this.request(terms));
  }

  placeAlgo(id: string, terms: Partial<AlgoRequest>) {
    return this.exchange.algos.place(this.state.account(id), BTC, {
      side: 'SELL',
      type: 'STOP_MARKET',
      timeInForce: 'GTC',
      lots: 1_000,
      priceTicks: 0,
      triggerTicks: 590_000,
      workingType: 'CONTRACT_PRICE',
      isReduceOnly: false,
      isClosePosition: false,
      clientAlgoId: `a${this.nextClientId++}`,
      ...terms,
    });
  }

  /** An order for 1 BTC at 60,000 unless the terms say otherwise. */
  request(terms: Partial<FuturesOrderRequest>): FuturesOrderRequest {
    const type = terms.type ?? 'LIMIT';
    return {
      side: 'BUY',
      type,
      timeInForce: 'GTC',
      lots: 1_000,
      priceTicks: type === 'LIMIT' ? 600_000 : 0,
      isReduceOnly: false,
      clientOrderId: `c${this.nextClientId++}`,
      ...terms,
    };
  }

  /** Replaces the house's quotes by `lots` on each side of a price. */
  quote(ticks: number, lots = 1_000_000): void {
    this.exchange.cancelQuotes(BTC);
    this.exchange.placeQuote(BTC, 'BUY', ticks - 1, lots);
    this.exchange.placeQuote(BTC, 'SELL', ticks + 1, lots);
    this.exchange.commitHouseOrders(BTC);
  }

  setMark(ticks: number): void {
    this.exchange.setMark(BTC, markOfTicks(BTC, ticks), true);
  }

  position(id: string) {
    return this.state.account(id).positions.get(BTC.id) ?? { lots: 0, cost: 0n, isolated: 0n, expenses: 0n };
  }

  /** The state that a snapshot of the current state restores. */
  fromSnapshot(): FuturesState {
    const state = new FuturesState();
    for (const record of [this.state.head(), ...this.state.rows()])
      state.apply(JSON.parse(JSON.stringify(record)));
    return state;
  }

  /** The state that a restart would restore from the records so far. */
  replayed(): FuturesState {
    const state = new FuturesState();
    for (const record of this.records) state.apply(record);
    return state;
  }
}
