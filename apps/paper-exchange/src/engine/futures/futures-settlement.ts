import type { OrderSide } from '../book.js';
import { HOUSE } from '../ledger.js';
import type { PublicTrade } from '../order.js';
import type { FeeRates } from '../settlement.js';
import { quoteUnits } from '../symbols.js';
import type { ContractSpec } from './contracts.js';
import {
  FUTURES_FEES,
  type FuturesAccount,
  INSURANCE,
  isSystem,
  type Position,
  positionOf,
  settingsOf,
} from './futures-account.js';
import type { FuturesLog } from './futures-log.js';
import type { FuturesFill, FuturesOrder } from './futures-order.js';
import type { FuturesState } from './futures-state.js';
import { applyChange, changeOf, type PositionChange } from './position.rules.js';

export interface FuturesMatch {
  readonly ticks: number;
  readonly lots: number;
  readonly takerSide: OrderSide;
  /** Undefined if the taker is the house. */
  readonly taker: FuturesOrder | undefined;
  /** Undefined if the maker is an account of the exchange. */
  readonly maker: FuturesOrder | undefined;
  /** The account of the exchange that trades if there is no maker's order; by default the house. */
  readonly counterparty?: string;
}

/**
 * Settles matches between accounts: positions, realised profits, isolated margins and fees.
 *
 * 1. A match moves money only between accounts. What one side realises, the other side pays or carries in its position.
 * 2. Fees are rounded down to a unit of 10^-8 USDT, in favour of the user.
 */
export class FuturesSettlement {
  constructor(
    private readonly options: {
      readonly state: FuturesState;
      readonly fees: FeeRates;
      readonly now: () => number;
    },
    private readonly log: FuturesLog,
  ) {}

  /** Settles one match and reports it to its users. Returns the trade. */
  settle(spec: ContractSpec, match: FuturesMatch): PublicTrade {
    const { takerSide, taker, maker, counterparty = HOUSE } = match;
    const trade = this.newTrade(spec, match);
    // A trade of the house with itself changes nothing, and needs no line in the journal.
    if (taker === undefined && maker === undefined && counterparty === HOUSE) return trade;
    const makerSide = takerSide === 'BUY' ? 'SELL' : 'BUY';
    this.settleSide(spec, trade, { order: maker, accountId: counterparty, side: makerSide, isMaker: true });
    this.settleSide(spec, trade, { order: taker, accountId: HOUSE, side: takerSide, isMaker: false });
    return trade;
  }

  /** Moves money between the cross wallet of a user and an account of the exchange; positive: to the user. */
  payFrom(systemId: string, account: FuturesAccount, amount: bigint): void {
    const system = this.options.state.account(systemId);
    system.cross -= amount;
    account.cross += amount;
    this.log.touch(system);
  }

  /** Lets the insurance fund pay a loss that exceeds the margin of the user. */
  coverLoss(account: FuturesAccount, symbol: string, loss: bigint): void {
    this.payFrom(INSURANCE, account, loss);
    this.log.addIncome({ accountId: account.id, symbol, type: 'INSURANCE_CLEAR', amount: loss });
    this.log.addAccount(account, 'INSURANCE_CLEAR', [], loss);
  }

  private newTrade(spec: ContractSpec, { ticks, lots, takerSide, taker }: FuturesMatch): PublicTrade {
    return {
      id: this.options.state.nextIds.trade++,
      symbol: spec.id,
      priceTicks: ticks,
      lots,
      quote: quoteUnits(spec, ticks, lots),
      isBuyerMaker: takerSide === 'SELL',
      takerOrderId: taker?.id ?? 0,
      at: this.options.now(),
    };
  }

  private settleSide(
    spec: ContractSpec,
    trade: PublicTrade,
    side: {
      readonly order: FuturesOrder | undefined;
      readonly accountId: string;
      readonly side: OrderSide;
      readonly isMaker: boolean;
    },
  ): void {
    const { order, isMaker } = side;
    const account = this.options.state.account(order?.accountId ?? side.accountId);
    const position = positionOf(account, spec.id);
    const change = changeOf(position, side.side, trade.lots, trade.quote);
    applyChange(position, side.side, change, trade.at);
    const loss = this.settleMargin(account, spec.id, change);
    if (order === undefined) {
      this.log.touch(account);
      return;
    }
    const fee = this.chargeFee(account, position, order, { quote: trade.quote, isMaker });
    const uncovered = loss + takeRemainder(account, position);
    this.log.addAccount(account, 'ORDER', [spec.id]);
    this.record(order, trade, { fee, realized: change.realized, isMaker });
    if (uncovered > 0n) this.coverLoss(account, spec.id, uncovered);
  }

  /**
   * Moves the realised profit to the wallet, and the isolated margin of the closed and opened lots. Returns the loss
   * that exceeds the margin of an isolated position, which the caller lets the insurance fund pay.
   */
  private settleMargin(account: FuturesAccount, symbol: string, change: PositionChange): bigint {
    const { leverage, isIsolated } = settingsOf(account, symbol);
    if (isSystem(account.id) || !isIsolated) {
      account.cross += change.realized + change.released;
      return 0n;
    }
    const position = positionOf(account, symbol);
    const payout = change.realized + change.released;
    const isStillOpen = position.lots !== 0 && change.opened.lots === 0;
    if (payout < 0n && isStillOpen) position.isolated += payout;
    else account.cross += payout;
    if (change.opened.lots > 0) {
      const margin = (change.opened.quote + BigInt(leverage) - 1n) / BigInt(leverage);
      const moved = least(margin, account.cross);
      account.cross -= moved;
      position.isolated += moved;
    }
    return payout < 0n && !isStillOpen ? -payout : 0n;
  }

  /** Takes the fee from the cross wallet, or from an isolated margin if the cross wallet is too small. */
  private chargeFee(
    account: FuturesAccount,
    position: Position,
    order: FuturesOrder,
    { quote, isMaker }: { readonly quote: bigint; readonly isMaker: boolean },
  ): bigint {
    // The fee of a liquidation is separate, and ADL and settlement are free.
    if (order.forced !== undefined) return 0n;
    const { makerPpm, takerPpm } = this.options.fees;
    const fee = (quote * BigInt(isMaker ? makerPpm : takerPpm)) / 1_000_000n;
    const { isIsolated } = settingsOf(account, order.symbol);
    const fromCross = isIsolated ? least(fee, account.cross) : fee;
    account.cross -= fromCross;
    position.isolated -= fee - fromCross;
    if (position.lots !== 0) position.expenses += fee;
    const fees = this.options.state.account(FUTURES_FEES);
    fees.cross += fee;
    this.log.touch(fees);
    return fee;
  }

  private record(
    order: FuturesOrder,
    trade: PublicTrade,
    terms: Pick<FuturesFill, 'fee' | 'realized' | 'isMaker'>,
  ): void {
    const { accountId, symbol } = order;
    order.executedLots += trade.lots;
    order.executedQuote += trade.quote;
    order.status = order.executedLots === order.lots ? 'FILLED' : 'PARTIALLY_FILLED';
    order.updatedAt = trade.at;
    const fill: FuturesFill = {
      id: trade.id,
      orderId: order.id,
      accountId,
      symbol,
      side: order.side,
      priceTicks: trade.priceTicks,
      lots: trade.lots,
      quote: trade.quote,
      ...terms,
      executedAt: trade.at,
    };
    const income = { accountId, symbol, tradeId: trade.id };
    this.log.addIncome({ ...income, type: 'REALIZED_PNL', amount: terms.realized });
    this.log.addIncome({ ...income, type: 'COMMISSION', amount: -terms.fee });
    this.log.addReport({
      execution: order.forced === 'LIQUIDATION' ? 'CALCULATED' : 'TRADE',
      order,
      fill,
    });
  }
}

/** Returns the smaller of an amount and a balance, but at least 0. */
function least(amount: bigint, balance: bigint): bigint {
  if (balance <= 0n) return 0n;
  return amount < balance ? amount : balance;
}

/** Moves what is left of the isolated margin of a flat position to the wallet. Returns the loss if it is negative. */
function takeRemainder(account: FuturesAccount, position: Position): bigint {
  if (position.lots !== 0 || position.isolated === 0n) return 0n;
  const { isolated } = position;
  position.isolated = 0n;
  account.cross += isolated;
  return isolated < 0n ? -isolated : 0n;
}
