import { formatUnits } from '../../engine/decimal.js';
import type { InterestCharge, LoanChange } from '../../engine/margin/loans.js';
import {
  HOURLY_RATE,
  marginLevel,
  marginValues,
  usdtValue,
} from '../../engine/margin/margin-account.rules.js';
import type { State } from '../../engine/state.js';
import { ASSETS, type MarketSpec } from '../../engine/symbols.js';

const UNIT = 10n ** 8n;

/** Returns a cross margin account. Its totals are in BTC, as at the venue; zero while BTC has no price. */
export function marginAccountView(state: State, accountId: string): object {
  const values = marginValues(state, accountId);
  const bitcoin = usdtValue(state, 'BTC', UNIT);
  const inBitcoin = (value: bigint) => formatUnits(bitcoin === undefined ? 0n : (value * UNIT) / bitcoin);
  const level = formatUnits(marginLevel(values));
  return {
    borrowEnabled: true,
    marginLevel: level,
    collateralMarginLevel: level,
    totalAssetOfBtc: inBitcoin(values.assets),
    totalLiabilityOfBtc: inBitcoin(values.debts),
    totalNetAssetOfBtc: inBitcoin(values.assets - values.debts),
    totalCollateralValueInUSDT: formatUnits(values.assets),
    totalOpenOrderLossInUSDT: formatUnits(0n),
    tradeEnabled: true,
    transferEnabled: true,
    transferInEnabled: true,
    transferOutEnabled: true,
    accountType: 'MARGIN_1',
    userAssets: ASSETS.map((asset) => marginAssetView(state, accountId, asset)),
  };
}

function marginAssetView(state: State, accountId: string, asset: string): object {
  const { free, locked } = state.ledger.balance(accountId, asset);
  const { principal, interest } = state.loans.debt(accountId, asset);
  return {
    asset,
    borrowed: formatUnits(principal),
    free: formatUnits(free),
    interest: formatUnits(interest),
    locked: formatUnits(locked),
    netAsset: formatUnits(free + locked - principal - interest),
  };
}

export function marginPairView(spec: MarketSpec, index: number): object {
  return {
    base: spec.base,
    id: index + 1,
    isBuyAllowed: true,
    isMarginTrade: true,
    isSellAllowed: true,
    quote: spec.quote,
    symbol: spec.id,
  };
}

export function loanView({ id, asset, principal, interest, at }: LoanChange): object {
  return {
    amount: formatUnits(principal + interest),
    asset,
    interest: formatUnits(interest),
    principal: formatUnits(principal),
    status: 'CONFIRMED',
    timestamp: at,
    txId: id,
  };
}

export function interestView({ id, asset, principal, interest, type, at }: InterestCharge): object {
  return {
    txId: id,
    interestAccuredTime: at,
    asset,
    rawAsset: asset,
    principal: formatUnits(principal),
    interest: formatUnits(interest),
    // The venue states the daily rate, although it charges each hour.
    interestRate: dailyRateText(),
    type,
  };
}

/** Returns the interest of one day as a fraction of the principal. */
export function dailyRateText(): string {
  return formatUnits(HOURLY_RATE * 24n);
}
