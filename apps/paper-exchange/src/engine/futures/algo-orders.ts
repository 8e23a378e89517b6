import { VENUE_ERRORS, VenueError } from '../../errors.js';
import { FUTURES_ERRORS } from '../../futures-errors.js';
import { type AlgoBook, wouldTrigger } from './algo-book.js';
import { CONTRACTS, type ContractSpec, markOfTicks } from './contracts.js';
import { type FuturesAccount, positionIn } from './futures-account.js';
import type { FuturesLog } from './futures-log.js';
import {
  type AlgoOrder,
  type AlgoRequest,
  type FuturesOrder,
  type FuturesOrderRequest,
  isOpenOrder,
} from './futures-order.js';
import { assertSizes, MAX_OPEN } from './futures-order.rules.js';
import type { FuturesState } from './futures-state.js';
import { closableLots } from './position.rules.js';

interface AlgoHost {
  /** Ends a change: follows its consequences and commits. */
  readonly finish: () => void;
  /** Checks, accepts and matches an order, without a commit. */
  readonly submit: (
    account: FuturesAccount,
    spec: ContractSpec,
    request: FuturesOrderRequest,
  ) => FuturesOrder;
  /** Cancels a conditional order, without a commit. */
  readonly cancelAlgo: (order: AlgoOrder) => void;
}

/** Places, cancels and triggers conditional orders. Their margin is checked when they trigger, as at the venue. */
export class AlgoOrders {
  constructor(
    private readonly state: FuturesState,
    private readonly log: FuturesLog,
    private readonly book: AlgoBook,
    private readonly host: AlgoHost,
  ) {}

  /** @throws VenueError if a filter rejects it, it would trigger at once, or its client id is in use */
  place(account: FuturesAccount, spec: ContractSpec, request: AlgoRequest): AlgoOrder {
    this.assertPlaceable(account, spec, request);
    const at = this.log.now();
    const { trailingBips, ...terms } = request;
    const order: AlgoOrder = {
      id: this.state.nextIds.algo++,
      accountId: account.id,
      symbol: spec.id,
      ...terms,
      createdAt: at,
      ...(trailingBips === undefined ? {} : { trailing: { bips: trailingBips } }),
      status: 'NEW',
      updatedAt: at,
      triggeredAt: 0,
    };
    this.book.add(order);
    this.log.addAlgo(order);
    this.host.finish();
    return order;
  }

  /** @throws VenueError -2011 if it does not wait for its price */
  cancel(order: AlgoOrder): AlgoOrder {
    this.log.assertNotBroken();
    if (order.status !== 'NEW') throw VENUE_ERRORS.cancelUnknown();
    this.host.cancelAlgo(order);
    this.host.finish();
    return order;
  }

  /** Returns the waiting orders of an account, in one contract or in all, oldest first. */
  openOf(accountId: string, symbol?: string): AlgoOrder[] {
    return this.book.of(accountId, symbol);
  }

  /**
   * Triggers the orders whose price is reached. The orders that they place may move the price and trigger others. Each is
   * triggered once, so this terminates.
   */
  trigger(): void {
    for (const spec of CONTRACTS) {
      for (;;) {
        const { book, log } = this;
        const next = book.takeTriggered(spec, this.pricesOf(spec), log.now(), (order) =>
          log.addSilentAlgo(order),
        );
        if (next === undefined) break;
        this.run(spec, next);
      }
    }
  }

  private pricesOf(spec: ContractSpec) {
    const last = this.state.lastTicks.get(spec.id);
    return {
      MARK_PRICE: this.state.contracts.of(spec.id).mark,
      CONTRACT_PRICE: last === undefined ? undefined : markOfTicks(spec, last),
    };
  }

  private run(spec: ContractSpec, algo: AlgoOrder): void {
    const { state, log } = this;
    const account = state.account(algo.accountId);
    algo.status = 'TRIGGERED';
    algo.triggeredAt = log.now();
    algo.updatedAt = algo.triggeredAt;
    log.addAlgo(algo);
    try {
      const order = this.host.submit(account, spec, this.requestOf(account, algo));
      algo.orderId = order.id;
      // A resting order finishes it later.
      if (!isOpenOrder(order)) algo.status = 'FINISHED';
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      // The position that it would close may be gone.
      algo.status = algo.isClosePosition ? 'EXPIRED' : 'REJECTED';
      algo.failure = error.message;
    }
    log.addAlgo(algo);
  }

  private requestOf(account: FuturesAccount, algo: AlgoOrder): FuturesOrderRequest {
    const { side, timeInForce, priceTicks, clientAlgoId, isClosePosition } = algo;
    const isLimit = algo.type === 'STOP' || algo.type === 'TAKE_PROFIT';
    const lots = isClosePosition ? closableLots(positionIn(account, algo.symbol), side) : algo.lots;
    return {
      side,
      type: isLimit ? 'LIMIT' : 'MARKET',
      timeInForce: isLimit ? timeInForce : 'GTC',
      // An order without lots has no position to close; the check of reduce-only orders refuses it.
      lots: Math.max(lots, 1),
      priceTicks,
      isReduceOnly: algo.isReduceOnly || isClosePosition,
      clientOrderId: clientAlgoId,
      isClosePosition,
      algoId: algo.id,
    };
  }

  private assertPlaceable(account: FuturesAccount, spec: ContractSpec, request: AlgoRequest): void {
    const { state, log, book } = this;
    log.assertNotBroken();
    if (!state.contracts.of(spec.id).isListed) throw FUTURES_ERRORS.symbolClosed();
    if (account.isHedged) throw FUTURES_ERRORS.positionSideMismatch();
    const isLimit = request.type === 'STOP' || request.type === 'TAKE_PROFIT';
    const lots = request.isClosePosition ? 1 : request.lots;
    assertSizes(spec, { type: isLimit ? 'LIMIT' : 'MARKET', lots, priceTicks: request.priceTicks });
    const open = book.of(account.id, spec.id);
    if (open.length >= MAX_OPEN.algoOrders) throw FUTURES_ERRORS.maxAlgoOrders();
    if (book.of(account.id).some(({ clientAlgoId }) => clientAlgoId === request.clientAlgoId))
      throw FUTURES_ERRORS.duplicateClientOrderId();
    const isSameClose = (other: AlgoOrder) =>
      other.isClosePosition && other.side === request.side && other.type === request.type;
    if (request.isClosePosition && open.some(isSameClose)) throw FUTURES_ERRORS.closePositionExists();
    if (wouldTrigger(spec, request, this.pricesOf(spec))) throw FUTURES_ERRORS.wouldTrigger();
  }
}
