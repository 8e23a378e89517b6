import { VENUE_ERRORS } from '../../errors.js';
import { FUTURES_ERRORS } from '../../futures-errors.js';
import type { Book, OrderSide } from '../book.js';
import type { MarketSpec } from '../symbols.js';
import { AccountSettings } from './account-settings.js';
import { AlgoOrders } from './algo-orders.js';
import { Closer } from './closer.js';
import type { ContractState, Funding } from './contract-state.js';
import { type ContractSpec, contractOf, markOfTicks } from './contracts.js';
import { FundingPayments } from './funding.js';
import { type FuturesAccount, positionIn } from './futures-account.js';
import { createFuturesCore, type FuturesCore, type FuturesOptions } from './futures-core.js';
import type { FuturesCommit } from './futures-log.js';
import { type FuturesOrder, type FuturesOrderRequest, isOpenOrder } from './futures-order.js';
import type { FuturesState } from './futures-state.js';
import { Liquidator } from './liquidator.js';
import type { Margins } from './margins.js';
import { OpenOrders } from './open-orders.js';
import { OrderChecks } from './order-checks.js';

/** The share of the distance to the last price by which the mark price follows it with each change. */
const MARK_FOLLOWS = 8;

/**
 * Makes every change of futures orders, positions and wallets, one at a time and synchronously.
 *
 * 1. A change is persisted before its caller receives the result.
 * 2. A rejected order (VenueError) changes nothing.
 * 3. After each change, the wallets and unrealised profits of all accounts sum to what was deposited.
 */
export class FuturesExchange {
  readonly state: FuturesState;
  readonly settings: AccountSettings;
  readonly algos: AlgoOrders;
  private readonly core: FuturesCore;
  private readonly checks: OrderChecks;
  private readonly closer: Closer;
  private readonly liquidator: Liquidator;
  private readonly funding: FundingPayments;
  private readonly quotes = new Map<string, Set<string>>();
  private nextQuoteId = 1;

  constructor(options: FuturesOptions) {
    const { state } = options;
    const core = createFuturesCore(options);
    const { log, matcher, margins } = core;
    const orders = new OpenOrders(state, matcher, core.algos, log);
    const finish = () => this.finish();
    this.core = core;
    this.state = state;
    this.checks = new OrderChecks(state, log, matcher, margins);
    this.closer = new Closer(state, log, core.settlement, orders);
    this.liquidator = new Liquidator(state, log, margins, this.closer);
    this.funding = new FundingPayments(state, log);
    this.settings = new AccountSettings(state, log, margins, finish);
    this.algos = new AlgoOrders(state, log, core.algos, {
      finish,
      submit: (account, spec, request) => this.submit(account, spec, request),
      cancelAlgo: (order) => orders.cancelAlgo(order),
    });
  }

  get margins(): Margins {
    return this.core.margins;
  }

  /** Registers a listener, which is called after each committed change, in order. It must not throw. */
  onCommit(listener: (commit: FuturesCommit) => void): void {
    this.core.log.onCommit(listener);
  }

  book(spec: MarketSpec): Book {
    return this.core.matcher.book(spec.id);
  }

  /** Increases with every change that may have affected the book of this contract. */
  depthVersion(spec: MarketSpec): number {
    return this.core.log.depthVersion(spec);
  }

  /** @throws VenueError if a filter, the margin or the position rejects the order, or its client order id is in use */
  place(account: FuturesAccount, spec: ContractSpec, request: FuturesOrderRequest): FuturesOrder {
    const order = this.submit(account, spec, request);
    this.finish(spec);
    return order;
  }

  /** Checks a new order as `place` does, but changes nothing. Returns it with id 0. @throws VenueError as `place` does */
  test(account: FuturesAccount, spec: ContractSpec, request: FuturesOrderRequest): FuturesOrder {
    return this.newOrder(account, spec, this.checks.checked(account, spec, request), 0);
  }

  /** Cancels an order. @throws VenueError -2011 if it is not open */
  cancel(order: FuturesOrder): FuturesOrder {
    this.core.log.assertNotBroken();
    if (!isOpenOrder(order)) throw VENUE_ERRORS.cancelUnknown();
    this.core.matcher.close(order, 'CANCELED');
    this.finish();
    return order;
  }

  /**
   * Changes price and amount of an open LIMIT order, which loses its place in the book. An amount that is already filled
   * cancels it, and so does a price at which a GTX order would take. A canceled order keeps its price and amount.
   *
   * @throws VenueError -2013 if it is not open, -5027 if nothing changes, or as `place` does
   */
  amend(order: FuturesOrder, lots: number, priceTicks: number): FuturesOrder {
    this.core.log.assertNotBroken();
    if (!isOpenOrder(order)) throw VENUE_ERRORS.noSuchOrder();
    if (order.lots === lots && order.priceTicks === priceTicks) throw FUTURES_ERRORS.sameOrder();
    const spec = contractOf(order.symbol);
    if (!this.checks.staysOpen(order, spec, { lots, priceTicks })) return this.cancel(order);
    this.core.matcher.withdraw(order);
    order.lots = lots;
    order.priceTicks = priceTicks;
    order.updatedAt = this.core.log.now();
    this.core.log.addReport({ execution: 'AMENDMENT', order });
    this.core.matcher.match(spec, order);
    this.finish(spec);
    return order;
  }

  /** Pays a funding at once. The rate, in units of 10^-8, also applies to the scheduled fundings from then on. */
  fund(spec: ContractSpec, rate: number): Funding {
    this.core.log.assertNotBroken();
    this.state.contracts.of(spec.id).fundingRate = rate;
    const funding = this.funding.pay(spec, rate);
    this.finish();
    return funding;
  }

  /** Pays the fundings that are due by the clock. With `isPaid` false, they are left out. */
  fundDue(isPaid = true): void {
    if (this.funding.payDue(isPaid)) this.finish();
  }

  /** Closes a position by auto-deleveraging. Returns undefined if the account has no position. */
  deleverage(account: FuturesAccount, spec: ContractSpec): FuturesOrder | undefined {
    this.core.log.assertNotBroken();
    const { lots } = positionIn(account, spec.id);
    if (lots === 0) return undefined;
    const order = this.closer.deleverage(account, spec, Math.abs(lots));
    this.finish();
    return order;
  }

  /** Delists a contract and closes its positions at the mark price, or lists it again. */
  setListed(spec: ContractSpec, isListed: boolean): void {
    this.core.log.assertNotBroken();
    if (isListed) {
      this.state.contracts.of(spec.id).isListed = true;
      this.core.log.addContractChange();
    } else this.closer.settleContract(spec);
    this.finish();
  }

  /** Keeps the mark price where it is, until `setMark`. */
  holdMark(spec: ContractSpec): void {
    this.state.contracts.of(spec.id).isMarkFixed = true;
  }

  /** Sets the mark price. Unless it is fixed, it then follows the last price. */
  setMark(spec: ContractSpec, mark: number, isFixed: boolean): void {
    this.core.log.assertNotBroken();
    Object.assign(this.state.contracts.of(spec.id), { mark, isMarkFixed: isFixed });
    this.core.log.addContractChange();
    this.finish();
  }

  /** Places a limit order of the house. It trades with the orders that it crosses, and the rest stays in the book. */
  placeQuote(spec: MarketSpec, side: OrderSide, ticks: number, lots: number): void {
    this.core.log.assertNotBroken();
    const id = `h${this.nextQuoteId++}`;
    const { fills } = this.book(spec).submit({ id, side, ticks, lots });
    const quotes = this.quotes.get(spec.id) ?? new Set();
    if (fills.reduce((sum, fill) => sum + fill.lots, 0) < lots) this.quotes.set(spec.id, quotes.add(id));
    this.core.matcher.settle(contractOf(spec.id), side, fills, undefined);
  }

  cancelQuotes(spec: MarketSpec): void {
    for (const id of this.quotes.get(spec.id) ?? []) this.book(spec).cancel(id);
    this.quotes.delete(spec.id);
    this.core.log.addSymbol(spec.id);
  }

  /** Trades up to `lots` for the house with the orders in the book, at `limitTicks` or better. */
  take(spec: MarketSpec, side: OrderSide, lots: number, limitTicks: number): void {
    this.core.log.assertNotBroken();
    const id = `h${this.nextQuoteId++}`;
    const { fills } = this.book(spec).submit({ id, side, lots, ticks: limitTicks, timeInForce: 'IOC' });
    this.core.matcher.settle(contractOf(spec.id), side, fills, undefined);
  }

  setLastPrice(spec: MarketSpec, ticks: number): void {
    this.state.lastTicks.set(spec.id, ticks);
  }

  /** Commits the changes of the house since its last commit: quotes, trades and last prices. */
  commitHouseOrders(spec: MarketSpec): void {
    this.finish(contractOf(spec.id));
  }

  /** Lets the mark price follow, triggers conditional orders, liquidates, and commits. */
  private finish(traded?: ContractSpec): void {
    if (traded !== undefined) this.followPrice(traded, this.state.contracts.of(traded.id));
    this.algos.trigger();
    this.liquidator.checkAll();
    this.core.log.commit();
  }

  private followPrice(spec: ContractSpec, contract: ContractState): void {
    const last = this.state.lastTicks.get(spec.id);
    if (last === undefined || contract.isMarkFixed) return;
    const distance = markOfTicks(spec, last) - contract.mark;
    contract.mark += Math.abs(distance) < MARK_FOLLOWS ? distance : Math.trunc(distance / MARK_FOLLOWS);
  }

  /** Checks, accepts and matches an order, without a commit. @throws VenueError as `place` does */
  private submit(account: FuturesAccount, spec: ContractSpec, request: FuturesOrderRequest): FuturesOrder {
    const sized = this.checks.checked(account, spec, request);
    const order = this.newOrder(account, spec, sized, this.state.nextIds.order++);
    this.core.log.addReport({ execution: 'NEW', order });
    this.core.matcher.match(spec, order);
    return order;
  }

  private newOrder(
    account: FuturesAccount,
    spec: ContractSpec,
    request: FuturesOrderRequest,
    id: number,
  ): FuturesOrder {
    const at = this.core.log.now();
    return {
      id,
      accountId: account.id,
      symbol: spec.id,
      clientOrderId: request.clientOrderId,
      side: request.side,
      type: request.type,
      timeInForce: request.timeInForce,
      isReduceOnly: request.isReduceOnly,
      isClosePosition: request.isClosePosition ?? false,
      createdAt: at,
      ...(request.algoId === undefined ? {} : { algoId: request.algoId }),
      priceTicks: request.priceTicks,
      lots: request.lots,
      executedLots: 0,
      executedQuote: 0n,
      status: 'NEW',
      updatedAt: at,
    };
  }
}
