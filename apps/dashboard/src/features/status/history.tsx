'use client';
import type { DetailedHealth } from '@trading-automation/sdk';
import { useEffect, useState } from 'react';
import { Card } from '../../ui/card';
import { Time } from '../../ui/values';
import { EVERYTHING, type Outage, type Seen, withCheck } from './outages.rules';
import { partWords } from './parts';

/** Kept while this tab shows other pages. */
let kept: Seen | undefined;

export interface HistoryProps {
  readonly health: DetailedHealth | undefined;
  /** The times of the last check that succeeded and of the last that failed; 0: there was none. */
  readonly succeededAtMs: number;
  readonly failedAtMs: number;
}

/** The outages that this tab has seen. */
export function History({ health, succeededAtMs, failedAtMs }: HistoryProps) {
  // The server has seen nothing, so that the first rendering must not show what was kept.
  const [seen, setSeen] = useState<Seen>();
  const add = (failing: readonly string[], atMs: number) => {
    kept = withCheck(kept, failing, atMs);
    setSeen(kept);
  };
  useEffect(() => {
    if (health === undefined || succeededAtMs === 0) return;
    const failing = Object.entries(health.services).flatMap(([part, { status }]) =>
      status === 'ok' ? [] : [part],
    );
    add(failing, succeededAtMs);
  }, [health, succeededAtMs]);
  useEffect(() => {
    if (failedAtMs > 0) add([EVERYTHING], failedAtMs);
  }, [failedAtMs]);
  return (
    <Card title="Outages" className="mt-4">
      <p className="text-muted text-sm">
        The service keeps no history of its status. This tab remembers what it sees while this page is open
        {seen !== undefined && (
          <>
            : {seen.checks === 1 ? '1 check' : `${seen.checks} checks`} since{' '}
            <Time at={new Date(seen.sinceMs).toISOString()} isExact />
          </>
        )}
        .
      </p>
      {seen !== undefined &&
        (seen.outages.length === 0 ? (
          <p className="pt-2 text-sm">No outage was seen.</p>
        ) : (
          <ul aria-label="Outages" className="pt-2">
            {seen.outages.map((outage) => (
              <OutageLine key={`${outage.part} ${outage.fromMs}`} outage={outage} />
            ))}
          </ul>
        ))}
    </Card>
  );
}

function OutageLine({ outage: { part, fromMs, toMs } }: { readonly outage: Outage }) {
  return (
    <li className="flex flex-wrap justify-between gap-x-4 border-t py-2 text-sm first:border-t-0">
      <span className="font-medium">{part === EVERYTHING ? 'The API' : partWords(part).name}</span>
      <span className="text-muted">
        <Time at={new Date(fromMs).toISOString()} isExact />
        {toMs === undefined ? (
          ', not over yet'
        ) : (
          <>
            {' to '}
            <Time at={new Date(toMs).toISOString()} isExact />
          </>
        )}
      </span>
    </li>
  );
}
