'use client';
import type { LotRow } from '../../data/open-lots';
import { usePairsById } from '../../data/pairs';
import { Exact, isZero, sumOf } from '../../format/decimals';
import { baseOf, quoteOf } from '../../format/money';
import { Amount, Change } from '../../ui/values';
import { closingPrice, estimateClose } from './close.rules';
import { EstimateNote } from './estimate-note';
import { usePrices } from './use-prices';

const PAIRS_SHOWN = 5;

/** What closing the lots would sell, with its proceeds and result, by pair. */
export function CloseSums({ lots }: { readonly lots: readonly LotRow[] }) {
  const ids = [...new Set(lots.map(({ trade_pair_id }) => trade_pair_id))];
  const pairs = usePairsById(ids);
  const { prices } = usePrices(ids);
  const estimates = lots.flatMap((lot) => {
    const limits = pairs.data.find(({ id }) => id === lot.trade_pair_id);
    const price = closingPrice(lot.side, prices.get(lot.trade_pair_id));
    return limits === undefined ? [] : [{ lot, estimate: estimateClose(lot, '1', limits, price) }];
  });
  const tooSmall = estimates.filter(({ estimate }) => estimate.problem !== undefined).length;
  const rows = ids.map((id) => {
    const members = estimates.filter(({ lot }) => lot.trade_pair_id === id);
    const proceeds = members.map(({ lot, estimate }) =>
      estimate.proceeds === undefined
        ? undefined
        : new Exact(estimate.proceeds).times(lot.side === 'BUY' ? 1 : -1).toFixed(),
    );
    return {
      id,
      symbol: lots.find(({ trade_pair_id }) => trade_pair_id === id)?.symbol ?? '',
      // The value of a perpetual is neither received nor paid.
      hasProceeds: members.some(({ lot }) => lot.trading_type !== 'perpetual'),
      amount: sumOf(members.map(({ estimate }) => estimate.amount)),
      rest: sumOf(members.map(({ estimate }) => estimate.rest)),
      fee: sumIfAll(members.map(({ estimate }) => estimate.fee)),
      proceeds: sumIfAll(proceeds),
      result: sumIfAll(members.map(({ estimate }) => estimate.result)),
    };
  });
  const anyProceeds = rows.some(({ hasProceeds }) => hasProceeds);
  return (
    <div className="flex flex-col gap-3 text-sm">
      <table className="w-full">
        <thead>
          <tr className="text-left text-muted text-xs">
            <th scope="col" className="pb-1 font-medium">
              Amount
            </th>
            <th scope="col" className="pb-1 text-right font-medium">
              {anyProceeds ? 'Estimated proceeds' : 'Estimated fee'}
            </th>
            <th scope="col" className="pb-1 text-right font-medium">
              Estimated result
            </th>
          </tr>
        </thead>
        <tbody>
          {rows
            .slice(0, PAIRS_SHOWN)
            .map(({ id, symbol, amount, rest, fee, hasProceeds, proceeds, result }) => (
              <tr key={id} className="border-t">
                <td className="py-2">
                  <Amount value={amount} asset={baseOf(symbol)} />
                  {!isZero(new Exact(rest)) && (
                    <span className="block text-muted text-xs">
                      <Amount value={rest} /> remains open
                    </span>
                  )}
                </td>
                <td className="py-2 pl-3 text-right">
                  {hasProceeds && <Amount value={proceeds} asset={quoteOf(symbol)} digits={2} />}
                  <span className={anyProceeds ? 'block text-muted text-xs' : ''}>
                    {anyProceeds && 'fee '}
                    <Amount value={fee} asset={anyProceeds ? undefined : quoteOf(symbol)} digits={2} />
                  </span>
                </td>
                <td className="py-2 pl-3 text-right">
                  <Change value={result} asset={quoteOf(symbol)} />
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      {rows.length > PAIRS_SHOWN && <p className="text-muted">and {rows.length - PAIRS_SHOWN} more pairs</p>}
      <EstimateNote />
      {tooSmall > 0 && (
        <p role="status" className="rounded-card border border-warn-line bg-warn-soft px-3 py-2">
          {tooSmall} {tooSmall === 1 ? 'lot is' : 'lots are'} below the minimum of the exchange and will
          probably stay open.
        </p>
      )}
    </div>
  );
}

/** The sum; undefined if there is no value, or one is unknown. */
function sumIfAll(values: readonly (string | undefined)[]): string | undefined {
  const known = values.flatMap((value) => value ?? []);
  return known.length === 0 || known.length < values.length ? undefined : sumOf(known);
}
