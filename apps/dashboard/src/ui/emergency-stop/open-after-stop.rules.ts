/** What an emergency stop closes and what it leaves open, with its value. */
import { Exact, sumOf } from '../../format/decimals';
import { quoteOf } from '../../format/money';

export interface Worth {
  readonly asset: string;
  readonly value: string;
}

interface Valued {
  readonly symbol: string;
  readonly side: string;
  readonly remaining_cost: string;
  readonly unrealized_pnl: string | null;
}

interface ValuedPosition {
  readonly symbol: string;
  readonly amount: string;
  readonly mark_price: string | null;
  readonly entry_price: string | null;
}

/** A perpetual names its settlement currency: BTC/USDT:USDT. */
const isPerpetual = ({ symbol }: { readonly symbol: string }) => symbol.includes(':');

/** The lots that stay open: with `closesPositions`, those of perpetuals count as positions. */
export const openAfterStop = <T extends { readonly symbol: string }>(
  lots: readonly T[],
  closesPositions: boolean,
): readonly T[] => (closesPositions ? lots.filter((lot) => !isPerpetual(lot)) : lots);

interface OpenPart {
  readonly symbol: string;
  readonly side: string;
  readonly amount: string;
}

/** The lots of perpetuals, by market and side, for as much of them as no order of the stop closes. */
export const withoutClosing = <T extends OpenPart>(open: readonly T[], closing: readonly OpenPart[]): T[] =>
  open.filter(isPerpetual).flatMap((lot) => {
    const orders = closing.filter(({ symbol, side }) => symbol === lot.symbol && side !== lot.side);
    const rest = new Exact(lot.amount).minus(sumOf(orders.map(({ amount }) => amount)));
    return rest.gt(0) ? [{ ...lot, amount: rest.toFixed() }] : [];
  });

/**
 * The value of lots by quote currency: their cost and what the price has changed of it. A short lot gains when its value
 * falls. A lot without a price counts at its cost.
 */
export const worthByQuote = (lots: readonly Valued[]): Worth[] =>
  byQuote(
    lots.map(({ symbol, side, remaining_cost, unrealized_pnl }) => {
      const cost = new Exact(remaining_cost);
      const result = unrealized_pnl ?? '0';
      return { symbol, value: (side === 'SELL' ? cost.minus(result) : cost.plus(result)).toFixed() };
    }),
  );

/** The notional of positions by quote currency, at the mark price, or at the entry price while no mark price is known. */
export const worthOfPositions = (positions: readonly ValuedPosition[]): Worth[] =>
  byQuote(
    positions.map(({ symbol, amount, mark_price, entry_price }) => ({
      symbol,
      value: new Exact(amount).times(mark_price ?? entry_price ?? '0').toFixed(),
    })),
  );

function byQuote(records: readonly { readonly symbol: string; readonly value: string }[]): Worth[] {
  const values = new Map<string, string[]>();
  for (const { symbol, value } of records) {
    const quote = quoteOf(symbol);
    values.set(quote, [...(values.get(quote) ?? []), value]);
  }
  return [...values].map(([asset, parts]) => ({ asset, value: sumOf(parts) }));
}
