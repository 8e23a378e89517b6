/** The words for rules that only the exchange can check, for rejection patterns. */

export const PRICE_TOO_FAR =
  'The price is too far from the market price. Choose a price within the limits of the exchange.';
export const ORDER_TOO_SMALL =
  'The order is worth less than the minimum of the exchange at its current price. Increase the amount.';
export const TOO_MANY_OPEN_ORDERS =
  'The account has too many open orders at the exchange. Cancel some first.';
export const POSITION_TOO_LARGE =
  'The position would be larger than the exchange allows at this leverage. Reduce the amount or the leverage.';
export const BALANCE_TOO_LARGE =
  'The account would hold more of this asset than the exchange allows. Reduce the amount.';
export const MARKET_NOT_ALLOWED =
  'The exchange does not allow this account to trade this pair. Trade another pair.';
export const ONLY_REDUCING_ORDERS =
  'The exchange currently allows this account only orders that reduce a position.';
export const NO_ORDERS_NOW = 'The exchange currently allows this account no orders. Try again later.';
export const LEVERAGE_NOT_ALLOWED =
  'The exchange does not allow this account so high a leverage. Choose a lower one.';
export const BORROWING_NOT_ALLOWED =
  'The exchange does not allow this account to borrow. Place the order without borrowing.';
