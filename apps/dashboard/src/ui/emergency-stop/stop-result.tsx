'use client';
import type { EmergencyStop } from '@trading-automation/sdk';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { baseOf, quoteOf } from '../../format/money';
import { Detail, Details } from '../details';
import { Status, wordsOf } from '../status';
import { Amount } from '../values';
import type { Staying } from './closing-plan.rules';
import { withoutClosing } from './open-after-stop.rules';
import { StayingList } from './staying-list';
import { stillOpenOf } from './still-open.rules';

type Result = EmergencyStop<'string'>;
const SHOWN_MAX = 4;

export interface StopResultProps {
  readonly result: Result;
  readonly closesPositions: boolean;
  /** What was known before the stop to stay open. */
  readonly staying: readonly Staying[];
}

/** What a stop has done, and what is still open. */
export function StopResult({ result, closesPositions, staying }: StopResultProps) {
  const { paused_copiers, cancelled, ended_otherwise, closing, open_lots } = result;
  const stillOpen = stillOpenOf(result);
  const isNamed = (symbol: string, side: string) =>
    staying.some(
      ({ position }) => position.symbol === symbol && (position.side === 'LONG') === (side === 'BUY'),
    );
  const unclosed = closesPositions
    ? withoutClosing(open_lots, closing).filter(({ symbol, side }) => !isNamed(symbol, side))
    : [];
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
      {staying.length > 0 && (
        <section>
          <h3 className="pb-1.5 font-medium">Positions that the stop does not close</h3>
          <StayingList staying={staying} />
        </section>
      )}
      {unclosed.length > 0 && (
        <Part
          title="Lots of perpetuals that no order closes"
          hint="Their account is not active, their market is not traded at the moment, or lots of both sides offset each other."
          items={unclosed.map(lotItem)}
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
              : 'The orders above close lots of perpetuals. Close the others on the positions page.'
          }
          items={open_lots.map(lotItem)}
        />
      )}
    </div>
  );
}

const lotItem = ({ symbol, side, amount, average_price }: Result['open_lots'][number]) => (
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
);

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
