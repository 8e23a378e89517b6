import { FUTURES_ERRORS } from '../../futures-errors.js';
import type { OrderSide } from '../book.js';
import { costOf } from '../order.rules.js';
import { quoteUnits } from '../symbols.js';
import { type ContractSpec, markOfTicks } from './contracts.js';
import { type FuturesAccount, positionIn } from './futures-account.js';
import type { FuturesLog } from './futures-log.js';
import type { FuturesMatcher } from './futures-matcher.js';
import { type FuturesOrder, type FuturesOrderRequest, isOpenOrder } from './futures-order.js';
import { assertMinNotional, assertPercentPrice, assertSizes, MAX_OPEN } from './futures-order.rules.js';
import type { FuturesState } from './futures-state.js';
import type { Margins, PlannedOrder } from './margins.js';
import { closableLots } from './position.rules.js';

/** Decides whether an order may be placed or amended. It changes nothing. */
export class OrderChecks {
  constructor(
    private readonly state: FuturesState,
    private readonly log: FuturesLog,
    private readonly matcher: FuturesMatcher,
    private readonly margins: Margins,
  ) {}

  /**
   * Checks a new order. Returns it with the amount that it may have: a reduce-only order fits its
   * position.
   *
   * @throws VenueError if a filter, the margin or the position rejects the order, or its client order id is in use
   */
  checked(account: FuturesAccount, spec: ContractSpec, request: FuturesOrderRequest): FuturesOrderRequest {
    this.log.assertNotBroken();
    const { isListed, mark } = this.state.contracts.of(spec.id);
    if (!isListed) throw FUTURES_ERRORS.symbolClosed();
    if (account.isHedged) throw FUTURES_ERRORS.positionSideMismatch();
    assertSizes(spec, request);
    assertPercentPrice(spec, request, mark);
    const sameId = this.state.orderByClientId(account.id, spec.id, request.clientOrderId);
    if (sameId !== undefined && isOpenOrder(sameId)) throw FUTURES_ERRORS.duplicateClientOrderId();
    if (this.state.openOrdersOf(account.id, spec.id).length >= MAX_OPEN.orders)
      throw FUTURES_ERRORS.maxOpenOrders();
    const sized = this.fitted(account, spec, request);
    const markTicks = Math.max(1, Math.floor(mark / markOfTicks(spec, 1)));
    assertMinNotional(spec, sized, sized.type === 'LIMIT' ? sized.priceTicks : markTicks);
    this.assertTimeInForce(account, spec, sized);
    if (!sized.isReduceOnly) this.margins.assertAffordable(account, spec, this.plan(spec, sized));
    return sized;
  }

  private fitted(
    account: FuturesAccount,
    spec: ContractSpec,
    request: FuturesOrderRequest,
  ): FuturesOrderRequest {
    if (!request.isReduceOnly) return request;
    const lots = closableLots(positionIn(account, spec.id), request.side);
    if (lots === 0) throw FUTURES_ERRORS.reduceOnlyRejected();
    return { ...request, lots: Math.min(request.lots, lots) };
  }

  private assertTimeInForce(account: FuturesAccount, spec: ContractSpec, request: FuturesOrderRequest): void {
    const { side, priceTicks, timeInForce } = request;
    const isFok = request.type === 'LIMIT' && timeInForce === 'FOK';
    if (isFok && !this.matcher.isFillable(spec, { ...request, accountId: account.id }))
      throw FUTURES_ERRORS.fokRejected();
    if (timeInForce === 'GTX' && this.wouldTake(spec, side, priceTicks)) throw FUTURES_ERRORS.gtxRejected();
  }

  private wouldTake(spec: ContractSpec, side: OrderSide, priceTicks: number): boolean {
    const best = this.matcher.book(spec.id).opposite(side)[0]?.[0];
    return best !== undefined && (side === 'BUY' ? priceTicks >= best : priceTicks <= best);
  }

  /**
   * Returns what an order costs or brings in: at its limit or at a better bid. A MARKET order takes the prices in the
   * book, and expires for lots that the book does not have.
   */
  private plan(
    spec: ContractSpec,
    { type, side, lots, priceTicks }: Pick<FuturesOrderRequest, 'type' | 'side' | 'lots' | 'priceTicks'>,
  ): PlannedOrder {
    const levels = type === 'MARKET' || side === 'SELL' ? this.matcher.book(spec.id).opposite(side) : [];
    if (type === 'LIMIT') {
      const ticks = Math.max(priceTicks, levels[0]?.[0] ?? 0);
      return { side, lots, quote: quoteUnits(spec, ticks, lots) };
    }
    const available = levels.reduce((sum, [, levelLots]) => sum + levelLots, 0);
    return { side, lots: Math.min(lots, available), quote: costOf(spec, levels, lots) };
  }

  /**
   * Checks an amendment of an open order. Returns false if the order is canceled instead: because the new amount is
   * already filled, or because a GTX order would take at the new price.
   *
   * @throws VenueError as `checked` does; the order then stays as it is
   */
  staysOpen(
    order: FuturesOrder,
    spec: ContractSpec,
    { lots, priceTicks }: { readonly lots: number; readonly priceTicks: number },
  ): boolean {
    const terms = { ...order, lots, priceTicks };
    const account = this.state.account(order.accountId);
    assertSizes(spec, terms);
    assertPercentPrice(spec, terms, this.state.contracts.of(spec.id).mark);
    if (lots <= order.executedLots) return false;
    assertMinNotional(spec, terms, priceTicks);
    const openLots = lots - order.executedLots;
    if (order.isReduceOnly && openLots > closableLots(positionIn(account, spec.id), order.side))
      throw FUTURES_ERRORS.reduceOnlyRejected();
    const planned = this.plan(spec, { ...terms, lots: openLots });
    if (!order.isReduceOnly) this.margins.assertAffordable(account, spec, planned, order);
    return order.timeInForce !== 'GTX' || !this.wouldTake(spec, order.side, priceTicks);
  }
}
