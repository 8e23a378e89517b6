/** Reads the open lots of many copiers in one statement. The table `lots` belongs to the trades feature. */
import { canonicalDecimal, type Decimal, type OpenLot, type TradeSide } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';

interface LotRow {
  readonly owner: string;
  readonly symbol: string;
  readonly side: TradeSide;
  readonly amount: Decimal;
  readonly average_price: Decimal;
}

/** Returns each copier's open lots, summed by pair and side. Copiers without open lots are absent from the map. */
export function openLotsOfCopiers(tx: Tx, ids: readonly string[]): Promise<Map<string, OpenLot[]>> {
  return groupedLots(tx, 'copier_id', ids);
}

/** Returns the open lots of the user, from their own trades and from copies, summed by pair and side. */
export async function openLotsOfUser(tx: Tx, userId: string): Promise<OpenLot[]> {
  return (await groupedLots(tx, 'user_id', [userId])).get(userId) ?? [];
}

async function groupedLots(
  tx: Tx,
  owner: 'copier_id' | 'user_id',
  ids: readonly string[],
): Promise<Map<string, OpenLot[]>> {
  const rows: LotRow[] = await tx.query(
    `SELECT ${owner} AS owner, symbol, side, sum(open_amount)::text AS amount,
       round(sum(open_value) / sum(open_amount), 18)::text AS average_price
     FROM lots WHERE ${owner} = ANY ($1) AND open_amount > 0
     GROUP BY ${owner}, symbol, side ORDER BY symbol, side`,
    [ids],
  );
  const lots = new Map<string, OpenLot[]>();
  for (const { owner: id, symbol, side, amount, average_price } of rows) {
    const lot = {
      symbol,
      side,
      amount: canonicalDecimal(amount),
      average_price: canonicalDecimal(average_price),
    };
    lots.set(id, [...(lots.get(id) ?? []), lot]);
  }
  return lots;
}
