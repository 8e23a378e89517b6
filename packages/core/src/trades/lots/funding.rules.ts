/** Divides funding payments and interest charges among lots. The functions are pure. */
import { DECIMAL_SCALE, type Decimal } from '@trading-automation/contracts';
import { formatUnits, parseUnits } from './lots.rules.js';

/** A lot that takes part in a division, and its weight. */
export interface LotWeight {
  readonly lotId: string;
  readonly weight: Decimal;
}

export interface LotPart {
  readonly lotId: string;
  readonly amount: Decimal;
}

/**
 * Divides an amount among lots in proportion to their weights. Each part is rounded toward zero to 18 decimals; the last
 * lot takes the rest, so the parts add up to the amount. Lots without weight take no part. Returns no part if no lot has
 * weight.
 *
 * @param lots in the order of opening
 */
export function divideAmongLots(total: Decimal, lots: readonly LotWeight[]): readonly LotPart[] {
  const weights = lots
    .map(({ lotId, weight }) => ({ lotId, units: parseUnits(weight, WEIGHT_SCALE) }))
    .filter(({ units }) => units > 0n);
  const sum = weights.reduce((added, { units }) => added + units, 0n);
  const totalUnits = parseUnits(total);
  let rest = totalUnits;
  return weights.map(({ lotId, units }, i) => {
    const part = i === weights.length - 1 ? rest : (totalUnits * units) / sum;
    rest -= part;
    return { lotId, amount: formatUnits(part) };
  });
}

/** Amounts have 18 decimals; the cost of a lot, which weighs a loan of quote currency, has 36. */
const WEIGHT_SCALE = 2 * DECIMAL_SCALE;

/** A lot of one of the connections of an account at the exchange. */
export interface ConnectedLot {
  readonly tradePairId: string;
  readonly exchangeAccountId: string;
  /** Whether an order of the product opened it. */
  readonly isOurs: boolean;
}

/**
 * Returns the lots of all connections of an account that take part in a payment or charge. Each connection adopts the orders
 * that were placed at the exchange, and corrects its lots by its position. Such lots of several connections repeat each
 * other, so of each pair, only those of the first reader that has some take part. A connection that did not read the record
 * may be inactive, and its adopted lots may have been closed at the exchange since. Lots of the product's orders all take
 * part.
 *
 * @param readers the accounts that stored the payment or charge, in the order in which they stored it
 */
export function withoutRepeatedLots<Lot extends ConnectedLot>(
  lots: readonly Lot[],
  readers: readonly string[],
): readonly Lot[] {
  const bookOf = (account: string, pair: string) => `${account} ${pair}`;
  const adopting = new Set(
    lots
      .filter(({ isOurs }) => !isOurs)
      .map(({ exchangeAccountId, tradePairId }) => bookOf(exchangeAccountId, tradePairId)),
  );
  const adopterOf = (pair: string) => readers.find((reader) => adopting.has(bookOf(reader, pair)));
  return lots.filter(
    ({ isOurs, exchangeAccountId, tradePairId }) => isOurs || exchangeAccountId === adopterOf(tradePairId),
  );
}

/** A lot of a margin account that was open when interest was charged. */
export interface OwingLot {
  readonly lotId: string;
  readonly tradePairId: string;
  readonly side: 'BUY' | 'SELL';
  readonly base: string;
  readonly quote: string;
  readonly openAmount: Decimal;
  /** The cost of the open part; for a short lot, its proceeds. */
  readonly openValue: Decimal;
  /** The price of the pair on the day of the charge; null if it is unknown. */
  readonly price: Decimal | null;
}

/** Which lots owe a loan, and the currency in which their interest counts. */
export interface LoanOwners {
  readonly lots: readonly (LotWeight & { readonly tradePairId: string })[];
  readonly currency: string;
  /** The price of the asset in `currency`; null if it is unknown. */
  readonly price: Decimal | null;
}

/**
 * Returns the lots that owe a loan of an asset; null without such a lot. Short lots of the asset owe it: they sold what was
 * borrowed. Without one, long lots that were bought with the asset owe it, in proportion to their cost. If short lots have
 * several quote currencies, those of `currency` owe it, by default those with the quote currency of the oldest.
 *
 * @param lots the open lots of the account, in the order of opening
 * @param currency the currency in which the charge was valued before, if it was
 */
export function loanOwners(
  asset: string,
  lots: readonly OwingLot[],
  currency: string | null,
): LoanOwners | null {
  const shorts = lots.filter(({ side, base }) => side === 'SELL' && base === asset);
  const shortCurrency = currency ?? shorts[0]?.quote;
  const owing = shorts.filter(({ quote }) => quote === shortCurrency);
  if (owing.length > 0)
    return {
      lots: owing.map((lot) => ({ ...lot, weight: lot.openAmount })),
      currency: shortCurrency!,
      price: owing[0]!.price,
    };
  const longs = lots.filter(({ side, quote }) => side === 'BUY' && quote === asset);
  if (longs.length === 0 || (currency !== null && currency !== asset)) return null;
  return { lots: longs.map((lot) => ({ ...lot, weight: lot.openValue })), currency: asset, price: '1' };
}

/** Returns the value of an amount at a price, rounded toward zero to 18 decimals. */
export function valueAt(amount: Decimal, price: Decimal): Decimal {
  return formatUnits((parseUnits(amount) * parseUnits(price)) / 10n ** BigInt(DECIMAL_SCALE));
}

/** Returns the amount with the opposite sign. */
export const negated = (amount: Decimal): Decimal => formatUnits(-parseUnits(amount));
