'use client';
import type { TradeDetail } from '@trading-automation/sdk';
import Link from 'next/link';
import type { LotRow } from '../../data/open-lots';
import { baseOf } from '../../format/money';
import { Amount } from '../../ui/values';
import type { CloseProgress } from './close-all.rules';
import { reasonOf } from './refusal';

export interface CloseRunProps {
  readonly progress: CloseProgress<LotRow, TradeDetail<'string'>>;
  readonly isRunning: boolean;
}

/** How far a run is, and which lots were refused. */
export function CloseRun({ progress, isRunning }: CloseRunProps) {
  const { total, done, closed, failed } = progress;
  const skipped = isRunning ? 0 : total - done;
  return (
    <div className="flex flex-col gap-3 text-sm">
      <div>
        <p id="close-progress" role="status" className="pb-1.5">
          {isRunning ? `${done} of ${total} lots` : `${closed.length} of ${total} orders sent`}
          {failed.length > 0 && `, ${failed.length} refused`}
          {skipped > 0 && `, ${skipped} not sent`}
        </p>
        <div
          role="progressbar"
          aria-labelledby="close-progress"
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={done}
          className="h-1.5 overflow-hidden rounded-full bg-selected"
        >
          <div className="h-full bg-accent" style={{ width: `${(100 * done) / total}%` }} />
        </div>
      </div>
      {failed.length > 0 && (
        <section>
          <h3 className="pb-1 font-medium">Still open</h3>
          <ul className="flex max-h-60 flex-col gap-2 overflow-y-auto">
            {failed.map(({ lot, error }) => {
              const { text, requestId } = reasonOf(error);
              return (
                <li key={lot.id} className="border-t pt-2">
                  <p>
                    <Link href={`/positions/${lot.id}`} className="underline">
                      <Amount value={lot.remaining_amount} asset={baseOf(lot.symbol)} />
                    </Link>
                  </p>
                  <p className="text-muted text-xs">{text}</p>
                  {requestId !== undefined && <p className="font-mono text-muted text-xs">{requestId}</p>}
                </li>
              );
            })}
          </ul>
        </section>
      )}
      {!isRunning && closed.length > 0 && (
        <p className="text-muted">
          The fills are listed on the{' '}
          <Link href="/trades" className="underline">
            trades page
          </Link>
          .
        </p>
      )}
    </div>
  );
}
