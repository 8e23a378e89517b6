'use client';
import type { EmergencyStop } from '@trading-automation/sdk';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { baseOf, quoteOf } from '../../format/money';
import { Detail, Details } from '../details';
import { Status, wordsOf } from '../status';
import { Amount } from '../values';
import { stillOpenOf } from './still-open.rules';

type Result = EmergencyStop<'string'>;
const SHOWN_MAX = 4;

/** What a stop has done, and what is still open. */
export function StopResult({ result }: { readonly result: Result }) {
  const { paused_copiers, cancelled, ended_otherwise, closing, open_lots } = result;
  const stillOpen = stillOpenOf(result);
  return (
    <div role="status" className="flex flex-col gap-4 text-sm">
      <Details>
        <Detail name="Copiers paused">{paused_copiers.length}</Detail>
        <Detail name="Orders cancelled">{cancelled.length}</Detail>
        {ended_otherwise.length > 0 && (
          <Detail name="Filled or failed before the cancellation">{ended_otherwise.length}</Detail>
        )}
        <Detail name="Orders still open">{stillOpen.length}</Detail>
        {closing.length > 0 && <Detail name="Orders that close positions">{closing.length}</Detail>}
        <Detail name="Positions still open">{open_lots.length}</Detail>
      </Details>
      {closing.length > 0 && (
        <Part
          title="Orders that close positions"
          hint="They fill within seconds. Open an order to see its fills."
          items={closing.map(({ id, symbol, side, amount }) => (
            <li key={id} className="flex items-center justify-between gap-3">
              <Link href={`/trades/${id}`} className="underline">
                {symbol} {wordsOf(side).toLowerCase()}
              </Link>
              <Amount value={amount} asset={baseOf(symbol)} />
            </li>
          ))}
        />
      )}
      <HowToGoOn hasCopiers={paused_copiers.length > 0} />
      {stillOpen.length > 0 && (
        <Part
          title="Orders still open"
          hint="The exchange has not confirmed these cancellations yet. They continue in the background."
          items={stillOpen.map(({ id, symbol, side, remaining_amount, status }) => (
            <li key={id} className="flex items-center justify-between gap-3">
              <Link href={`/trades/${id}`} className="underline">
                {symbol} {wordsOf(side).toLowerCase()}
              </Link>
              <span className="flex items-center gap-2">
                <Amount value={remaining_amount} asset={baseOf(symbol)} />
                <Status value={status} />
              </span>
            </li>
          ))}
        />
      )}
      {open_lots.length > 0 && (
        <Part
          title="Positions still open"
          hint={
            closing.length === 0
              ? 'They are not closed automatically. Close them on the positions page.'
              : 'Lots of perpetuals are closed by the orders above. Close the others on the positions page.'
          }
          items={open_lots.map(({ symbol, side, amount, average_price }) => (
            <li key={`${symbol} ${side}`} className="flex items-center justify-between gap-3">
              <span>
                {symbol} {side === 'BUY' ? 'long' : 'short'}
              </span>
              <span>
                <Amount value={amount} asset={baseOf(symbol)} />{' '}
                <span className="text-muted">
                  at <Amount value={average_price} asset={quoteOf(symbol)} />
                </span>
              </span>
            </li>
          ))}
        />
      )}
    </div>
  );
}

const HowToGoOn = ({ hasCopiers }: { readonly hasCopiers: boolean }) => (
  <section>
    <h3 className="font-medium">How to start again</h3>
    <p className="text-muted text-xs">
      {hasCopiers && (
        <>
          Start each copier again under{' '}
          <Link href="/copiers" className="underline">
            Copiers
          </Link>
          .{' '}
        </>
      )}
      Cancelled orders are not placed again. Accounts and strategies are unchanged: new orders, from this
      dashboard or with an API key, still trade.
    </p>
  </section>
);

function Part({
  title,
  hint,
  items,
}: {
  readonly title: string;
  readonly hint: string;
  readonly items: readonly ReactNode[];
}) {
  return (
    <section>
      <h3 className="font-medium">{title}</h3>
      <p className="pb-1.5 text-muted text-xs">{hint}</p>
      <ul className="flex flex-col gap-1.5">
        {items.slice(0, SHOWN_MAX)}
        {items.length > SHOWN_MAX && <li className="text-muted">and {items.length - SHOWN_MAX} more</li>}
      </ul>
    </section>
  );
}
