'use client';
import type { TradeDetail } from '@trading-automation/sdk';
import { useState } from 'react';
import { baseOf, quoteOf } from '../../format/money';
import { Button } from '../../ui/button';
import { ScrollRegion } from '../../ui/scroll-region';
import { wordsOf } from '../../ui/status';
import { Amount, Time } from '../../ui/values';
import { newestFills } from './newest-fills.rules';

const SHOWN = 10;

/** The fills of an order, newest first. */
export function Fills({ trade }: { readonly trade: TradeDetail<'string'> }) {
  const [isWhole, setWhole] = useState(false);
  const { fills, symbol } = trade;
  if (fills.length === 0) return null;
  const shown = newestFills(fills, isWhole ? fills.length : SHOWN);
  return (
    <section>
      <h3 className="pb-1 font-semibold text-base">{`Fills (${fills.length})`}</h3>
      <ScrollRegion label="Fills" className="overflow-x-auto">
        <table className="w-full text-xs">
          <thead>
            <tr className="h-8 text-left text-muted">
              <th scope="col" className="pr-2 font-medium">
                Time
              </th>
              <th scope="col" className="px-2 text-right font-medium">
                {`Price, ${quoteOf(symbol)}`}
              </th>
              <th scope="col" className="px-2 text-right font-medium">
                {`Amount, ${baseOf(symbol)}`}
              </th>
              <th scope="col" className="pl-2 text-right font-medium">
                Fee
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ id, executed_at, price, amount, fee, liquidity }) => (
              <tr key={id} className="h-11 border-t">
                <td className="pr-2">
                  <Time at={executed_at} isExact />
                </td>
                <td className="px-2 text-right">
                  <Amount value={price} />
                </td>
                <td className="px-2 text-right">
                  <Amount value={amount} />
                </td>
                <td className="pl-2 text-right whitespace-nowrap">
                  <Amount value={fee.amount} />
                  <span className="block text-muted">{`${fee.currency}, ${wordsOf(liquidity).toLowerCase()}`}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {shown.length < fills.length && (
        <Button className="mt-2" onClick={() => setWhole(true)}>{`Show all ${fills.length} fills`}</Button>
      )}
    </section>
  );
}
