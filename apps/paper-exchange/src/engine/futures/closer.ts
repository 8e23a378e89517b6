import type { OrderSide } from '../book.js';
import { HOUSE } from '../ledger.js';
import { type ContractSpec, markOfTicks } from './contracts.js';
import {
  type FuturesAccount,
  INSURANCE,
  isSystem,
  positionIn,
  positionOf,
  settingsOf,
} from './futures-account.js';
import type { FuturesLog } from './futures-log.js';
import type { ForcedReason, FuturesOrder } from './futures-order.js';
import type { FuturesSettlement } from './futures-settlement.js';
import type { FuturesState } from './futures-state.js';
import type { OpenOrders } from './open-orders.js';
import { closingSide } from './position.rules.js';

const CLIENT_IDS: Record<ForcedReason, (order: { id: number; at: number }) => string> = {
  LIQUIDATION: ({ id, at }) => `autoclose-${at}${String(id).padStart(7, '0')}`,
  ADL: () => 'adl_autoclose',
  SETTLEMENT: ({ id, at }) => `settlement_autoclose-${at}${String(id).padStart(7, '0')}`,
};

interface Closing {
  readonly lots: number;
  readonly ticks: number;
  readonly reason: ForcedReason;
  /** The account of the exchange that takes the position over. */
  readonly counterparty: string;
}

/** Closes positions on behalf of the exchange: liquidations, auto-deleveraging and delisting settlements. */
export class Closer {
  constructor(
    private readonly state: FuturesState,
    private readonly log: FuturesLog,
    private readonly settlement: FuturesSettlement,
    private readonly orders: OpenOrders,
  ) {}

  /** Closes a part of a position by an order of the exchange. Returns the filled order. */
  close(account: FuturesAccount, spec: ContractSpec, closing: Closing): FuturesOrder {
    const { settlement, log } = this;
    const order = this.newOrder(account, spec, closing);
    log.addReport({ execution: 'NEW', order });
    settlement.settle(spec, {
      ticks: closing.ticks,
      lots: closing.lots,
      takerSide: order.side,
      taker: order,
      maker: undefined,
      counterparty: closing.counterparty,
    });
    this.orders.fitReduceOnly(spec.id, account.id);
    return order;
  }

  /** Cancels the open orders and the conditional orders of an account, in one contract or in all. */
  cancelAll(accountId: string, symbol?: string): void {
    this.orders.cancelAll(accountId, symbol);
  }

  /** Moves the fee of a liquidation from the margin that the position has to the insurance fund. */
  chargeFee(account: FuturesAccount, symbol: string, fee: bigint): void {
    const { isIsolated } = settingsOf(account, symbol);
    if (isIsolated) {
      positionOf(account, symbol).isolated -= fee;
      account.cross += fee;
    }
    this.settlement.payFrom(INSURANCE, account, -fee);
    this.log.addIncome({ accountId: account.id, symbol, type: 'INSURANCE_CLEAR', amount: -fee });
    this.log.addAccount(account, 'INSURANCE_CLEAR', isIsolated ? [symbol] : [], -fee);
  }

  /** Lets the insurance fund pay what a flat account owes. */
  coverDebt(account: FuturesAccount): void {
    if (account.cross < 0n) this.settlement.coverLoss(account, '', -account.cross);
  }

  /** Closes a part of a profitable or losing position against the insurance fund, at the mark price and without a fee. */
  deleverage(account: FuturesAccount, spec: ContractSpec, lots: number): FuturesOrder {
    this.cancelAll(account.id, spec.id);
    const ticks = nearestTicks(spec, this.state.contracts.of(spec.id).mark);
    return this.close(account, spec, { lots, ticks, reason: 'ADL', counterparty: INSURANCE });
  }

  /** Closes every position of a contract at the mark price, because the contract is delisted. */
  settleContract(spec: ContractSpec): void {
    const { state } = this;
    const contract = state.contracts.of(spec.id);
    const ticks = nearestTicks(spec, contract.mark);
    for (const account of [...state.allAccounts()]) {
      if (isSystem(account.id)) continue;
      this.cancelAll(account.id, spec.id);
      const lots = Math.abs(positionIn(account, spec.id).lots);
      if (lots > 0) this.close(account, spec, { lots, ticks, reason: 'SETTLEMENT', counterparty: HOUSE });
    }
    this.settleInsurance(spec, ticks);
    contract.isListed = false;
    this.log.addContractChange();
  }

  /** Moves the position of the insurance fund to the house. All positions sum to zero, so the house is then flat. */
  private settleInsurance(spec: ContractSpec, ticks: number): void {
    const { state, settlement } = this;
    const { lots } = positionIn(state.account(INSURANCE), spec.id);
    if (lots === 0) return;
    settlement.settle(spec, {
      ticks,
      lots: Math.abs(lots),
      takerSide: lots > 0 ? 'BUY' : 'SELL',
      taker: undefined,
      maker: undefined,
      counterparty: INSURANCE,
    });
  }

  private newOrder(account: FuturesAccount, spec: ContractSpec, closing: Closing): FuturesOrder {
    const [id, at] = [this.state.nextIds.order++, this.log.now()];
    return {
      id,
      accountId: account.id,
      symbol: spec.id,
      clientOrderId: CLIENT_IDS[closing.reason]({ id, at }),
      side: closingSide(positionIn(account, spec.id).lots),
      type: 'LIMIT',
      timeInForce: closing.reason === 'LIQUIDATION' ? 'IOC' : 'GTC',
      isReduceOnly: false,
      isClosePosition: false,
      createdAt: at,
      forced: closing.reason,
      priceTicks: closing.ticks,
      lots: closing.lots,
      executedLots: 0,
      executedQuote: 0n,
      status: 'NEW',
      updatedAt: at,
    };
  }
}

/** Rounds a mark price to ticks against the side that trades at it. */
export function ticksAgainst(spec: ContractSpec, mark: number, side: OrderSide): number {
  const tick = markOfTicks(spec, 1);
  return Math.max(1, side === 'SELL' ? Math.floor(mark / tick) : Math.ceil(mark / tick));
}

function nearestTicks(spec: ContractSpec, mark: number): number {
  return Math.max(1, Math.round(mark / markOfTicks(spec, 1)));
}
