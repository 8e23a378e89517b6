import { createHash } from 'node:crypto';
import {
  CONTRACTS,
  type ContractSpec,
  contractOf,
  markText,
  maxNotionalAt,
  SETTLEMENT_ASSET,
} from '../../engine/futures/contracts.js';
import { type FuturesAccount, walletOf } from '../../engine/futures/futures-account.js';
import type { Income } from '../../engine/futures/futures-order.js';
import {
  type AccountMargin,
  type ContractMargin,
  liquidationMark,
} from '../../engine/futures/margin.rules.js';
import type { FuturesContext } from './futures-context.js';
import { averageText, lotsText, usdtText } from './futures-text.js';

/** An account with its margins at the time of a request. */
export interface MarginReading {
  readonly account: FuturesAccount;
  readonly margin: AccountMargin;
  readonly wallet: bigint;
  readonly now: number;
}

export function readMargin({ futures, now }: FuturesContext, account: FuturesAccount): MarginReading {
  return { account, margin: futures.margins.of(account), wallet: walletOf(account), now: now() };
}

function sumOf(contracts: readonly ContractMargin[], amount: (one: ContractMargin) => bigint): bigint {
  return contracts.reduce((sum, one) => sum + amount(one), 0n);
}

/** Returns what the account and its only asset have in common. */
function balancesOf({ account, margin, wallet }: MarginReading) {
  const { contracts, crossUnrealized } = margin;
  const unrealized = sumOf(contracts, (one) => one.unrealized);
  const initial = sumOf(contracts, (one) => one.initial);
  const positionInitial = sumOf(contracts, (one) => one.positionInitial);
  const available = margin.available > 0n ? margin.available : 0n;
  return {
    maintenance: usdtText(sumOf(contracts, (one) => one.maintenance)),
    initial: usdtText(initial),
    positionInitial: usdtText(positionInitial),
    openOrderInitial: usdtText(initial - positionInitial),
    wallet: usdtText(wallet),
    unrealized: usdtText(unrealized),
    margin: usdtText(wallet + unrealized),
    cross: usdtText(account.cross),
    crossUnrealized: usdtText(crossUnrealized),
    available: usdtText(available),
    maxWithdraw: usdtText(available < account.cross ? available : account.cross > 0n ? account.cross : 0n),
  };
}

/** Returns the sums over an account, and its asset. */
export function accountSumsView(reading: MarginReading): object {
  const sums = balancesOf(reading);
  return {
    totalInitialMargin: sums.initial,
    totalMaintMargin: sums.maintenance,
    totalWalletBalance: sums.wallet,
    totalUnrealizedProfit: sums.unrealized,
    totalMarginBalance: sums.margin,
    totalPositionInitialMargin: sums.positionInitial,
    totalOpenOrderInitialMargin: sums.openOrderInitial,
    totalCrossWalletBalance: sums.cross,
    totalCrossUnPnl: sums.crossUnrealized,
    availableBalance: sums.available,
    maxWithdrawAmount: sums.maxWithdraw,
    assets: [
      {
        asset: SETTLEMENT_ASSET,
        walletBalance: sums.wallet,
        unrealizedProfit: sums.unrealized,
        marginBalance: sums.margin,
        maintMargin: sums.maintenance,
        initialMargin: sums.initial,
        positionInitialMargin: sums.positionInitial,
        openOrderInitialMargin: sums.openOrderInitial,
        crossWalletBalance: sums.cross,
        crossUnPnl: sums.crossUnrealized,
        availableBalance: sums.available,
        maxWithdrawAmount: sums.maxWithdraw,
        marginAvailable: true,
        updateTime: reading.now,
      },
    ],
  };
}

export function balanceView(reading: MarginReading): object {
  const sums = balancesOf(reading);
  return {
    accountAlias: createHash('sha256').update(reading.account.id).digest('base64url').slice(0, 8),
    asset: SETTLEMENT_ASSET,
    balance: sums.wallet,
    crossWalletBalance: sums.cross,
    crossUnPnl: sums.crossUnrealized,
    availableBalance: sums.available,
    maxWithdrawAmount: sums.maxWithdraw,
    marginAvailable: true,
    updateTime: reading.now,
  };
}

/** Returns the margins of the contracts that have a position or open orders. */
export function activeContracts({ margin }: MarginReading): ContractMargin[] {
  return margin.contracts.filter(({ position, initial }) => position.lots !== 0 || initial > 0n);
}

/** Returns BOTH in one-way mode, and otherwise the side of the position. */
export function positionSideOf(account: Pick<FuturesAccount, 'isHedged'>, lots: number): string {
  if (!account.isHedged) return 'BOTH';
  return lots < 0 ? 'SHORT' : 'LONG';
}

/** Returns the fields of a position that all versions of the account and position endpoints have. */
function positionFields({ account }: MarginReading, one: ContractMargin) {
  const spec = contractOf(one.symbol);
  const { position } = one;
  return {
    symbol: one.symbol,
    positionSide: positionSideOf(account, position.lots),
    positionAmt: lotsText(spec, position.lots),
    notional: usdtText(one.notional),
    isolatedMargin: usdtText(one.isIsolated && position.lots !== 0 ? position.isolated + one.unrealized : 0n),
    isolatedWallet: usdtText(position.isolated),
    initialMargin: usdtText(one.initial),
    maintMargin: usdtText(one.maintenance),
    positionInitialMargin: usdtText(one.positionInitial),
    openOrderInitialMargin: usdtText(one.initial - one.positionInitial),
    bidNotional: usdtText(one.open.bids),
    askNotional: usdtText(one.open.asks),
    updateTime: position.updatedAt,
  };
}

/** Returns a position as a part of the account. */
export function accountPositionView(reading: MarginReading, one: ContractMargin): object {
  const spec = contractOf(one.symbol);
  return {
    ...positionFields(reading, one),
    unrealizedProfit: usdtText(one.unrealized),
    leverage: String(one.leverage),
    isolated: one.isIsolated,
    entryPrice: entryText(spec, one),
    maxNotional: wholeText(maxNotionalAt(spec, one.leverage)),
  };
}

/** Returns a position with its risk. */
export function positionRiskView(
  context: FuturesContext,
  reading: MarginReading,
  one: ContractMargin,
): object {
  const spec = contractOf(one.symbol);
  const { position } = one;
  return {
    ...positionFields(reading, one),
    entryPrice: entryText(spec, one),
    breakEvenPrice: averageText(spec, position.cost + position.expenses, position.lots, 8),
    markPrice: markText(spec, context.futures.state.contracts.of(one.symbol).mark),
    unRealizedProfit: usdtText(one.unrealized),
    liquidationPrice: markText(spec, liquidationPriceOf(spec, reading, one)),
    leverage: String(one.leverage),
    maxNotionalValue: wholeText(maxNotionalAt(spec, one.leverage)),
    marginType: one.isIsolated ? 'isolated' : 'cross',
    isAutoAddMargin: 'false',
    marginAsset: SETTLEMENT_ASSET,
    adl: 0,
  };
}

function liquidationPriceOf(
  spec: ContractSpec,
  { account, margin }: MarginReading,
  one: ContractMargin,
): number {
  if (one.isIsolated) return liquidationMark(spec, one.position, one.position.isolated, 0n);
  const equity = account.cross + margin.crossUnrealized - one.unrealized;
  return liquidationMark(spec, one.position, equity, margin.crossMaintenance - one.maintenance);
}

function entryText(spec: ContractSpec, { position }: ContractMargin): string {
  return averageText(spec, position.cost, position.lots, 8);
}

/** Formats a notional limit, which has no decimal places. */
function wholeText(amount: bigint): string {
  return String(amount / 100_000_000n);
}

/** Returns the brackets of a contract, whose values are JSON numbers. */
export function bracketsView(spec: ContractSpec): object {
  return {
    symbol: spec.id,
    notionalCoef: 1,
    brackets: spec.brackets.map((bracket, index) => ({
      bracket: index + 1,
      initialLeverage: bracket.maxLeverage,
      notionalCap: Number(wholeText(bracket.cap)),
      notionalFloor: Number(wholeText(bracket.floor)),
      maintMarginRatio: Number(bracket.maintenancePpm) / 1_000_000,
      cum: Number(usdtText(bracket.deduction)),
    })),
  };
}

export function incomeView({ id, symbol, type, amount, tradeId, at }: Income): object {
  return {
    symbol,
    incomeType: type,
    income: usdtText(amount),
    asset: SETTLEMENT_ASSET,
    info: type,
    time: at,
    tranId: String(id),
    tradeId: tradeId ?? '',
  };
}

/** Returns the contracts that a request selects. */
export function selected(spec: ContractSpec | undefined): readonly ContractSpec[] {
  return spec === undefined ? CONTRACTS : [spec];
}
