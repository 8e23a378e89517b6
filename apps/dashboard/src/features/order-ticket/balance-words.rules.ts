/** How the order ticket names the balance that an order is measured by. */
import type { PricedOrder } from './estimate.rules';
import type { Pair } from './order.rules';

type MarketKind = Pick<Pair, 'trading_type'>;
const isPerpetual = ({ trading_type }: MarketKind) => trading_type === 'perpetual';

/** On a perpetual, neither the margin of positions nor that of open orders is subtracted, because it is not known. */
export const balanceName = (pair: MarketKind): string =>
  isPerpetual(pair) ? 'Wallet balance, margin in use included' : 'Free balance';

const shareOf = (pair: MarketKind): string => (isPerpetual(pair) ? 'the wallet balance' : 'the free balance');

/** The name of a button that takes a share, such as "25 % of the free balance". */
export const shareName = (percent: string, pair: MarketKind): string => `${percent} % of ${shareOf(pair)}`;

/** The name of all these buttons, with what a market order leaves for a price that changes before it trades. */
export function sharesName({ side, type }: Pick<PricedOrder, 'side' | 'type'>, pair: MarketKind): string {
  const name = `Share of ${shareOf(pair)}`;
  if (type !== 'MARKET') return name;
  if (isPerpetual(pair)) return `${name}, less 0.5 % for a change of the price`;
  return side === 'BUY' ? `${name}, less 0.5 % for a rising price` : name;
}
