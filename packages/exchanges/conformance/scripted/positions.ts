/** Positions of the scripted exchange, in one-way mode. */
import {
  type Account,
  type Exact,
  exact,
  type Leverage,
  type Position,
  type ScriptedMarket,
} from './model.js';
import { walletOf } from './wallets.js';

const DEFAULT_LEVERAGE = 10;

export function positionOf(account: Account, market: ScriptedMarket): Position {
  const existing = account.positions.get(market.symbol);
  if (existing !== undefined) return existing;
  const position = { market, size: exact(0), entryPrice: exact(0), openedAt: 0, updatedAt: 0 };
  account.positions.set(market.symbol, position);
  return position;
}

export function leverageOf(account: Account, { symbol }: ScriptedMarket): Leverage {
  const existing = account.leverages.get(symbol);
  if (existing !== undefined) return existing;
  const leverage: Leverage = { leverage: exact(DEFAULT_LEVERAGE), marginMode: 'CROSS' };
  account.leverages.set(symbol, leverage);
  return leverage;
}

/** Adds a signed amount to a position. Returns the result that it realises. */
export function addToPosition(position: Position, change: Exact, price: Exact, at: number): Exact {
  const { size, entryPrice } = position;
  const total = size.plus(change);
  const isIncrease = size.isZero() || size.isNegative() === change.isNegative();
  position.updatedAt = at;
  if (isIncrease) {
    if (size.isZero()) position.openedAt = at;
    position.entryPrice = size.times(entryPrice).plus(change.times(price)).div(total);
    position.size = total;
    return exact(0);
  }
  const closed = change.abs().lt(size.abs()) ? change.abs() : size.abs();
  const realized = price.minus(entryPrice).times(size.isNegative() ? closed.negated() : closed);
  position.size = total;
  if (total.isZero()) position.entryPrice = exact(0);
  else if (total.isNegative() !== size.isNegative()) {
    position.entryPrice = price;
    position.openedAt = at;
  }
  return realized;
}

export const unrealizedOf = ({ size, entryPrice }: Position, markPrice: Exact): Exact =>
  markPrice.minus(entryPrice).times(size);

/** The margin of an account in one settlement currency. */
export interface Margin {
  readonly wallet: Exact;
  readonly unrealized: Exact;
  readonly positionMargin: Exact;
  readonly orderMargin: Exact;
  readonly maintenance: Exact;
  readonly equity: Exact;
  readonly available: Exact;
}

/**
 * @param markPriceOf the mark price of a market
 * @param openNotionals the notional of each open order that may increase a position
 */
export function marginOf(
  account: Account,
  settle: string,
  markPriceOf: (market: ScriptedMarket) => Exact,
  openNotionals: readonly (readonly [market: ScriptedMarket, notional: Exact])[],
): Margin {
  const { free, locked } = walletOf(account, settle);
  const positions = [...account.positions.values()].filter(({ market }) => market.quote === settle);
  const sum = (values: readonly Exact[]) => values.reduce((total, value) => total.plus(value), exact(0));
  const notionalOf = (position: Position) => position.size.abs().times(markPriceOf(position.market));
  const wallet = free.plus(locked);
  const unrealized = sum(positions.map((each) => unrealizedOf(each, markPriceOf(each.market))));
  const positionMargin = sum(
    positions.map((each) => notionalOf(each).div(leverageOf(account, each.market).leverage)),
  );
  const orderMargin = sum(
    openNotionals.map(([market, notional]) => notional.div(leverageOf(account, market).leverage)),
  );
  const maintenance = sum(positions.map((each) => notionalOf(each).times(each.market.maintenanceRate)));
  const equity = wallet.plus(unrealized);
  const available = equity.minus(positionMargin).minus(orderMargin);
  return { wallet, unrealized, positionMargin, orderMargin, maintenance, equity, available };
}
