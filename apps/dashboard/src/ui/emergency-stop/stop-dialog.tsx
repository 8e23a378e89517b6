'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { EmergencyStop as Result } from '@trading-automation/sdk';
import { type ReactNode, useState } from 'react';
import { api } from '../../data/api';
import { Button } from '../button';
import { Dialog } from '../dialog';
import { Field, Input } from '../field';
import { FormError } from '../form-error';
import { Skeleton } from '../skeleton';
import { Amount } from '../values';
import { StopResult } from './stop-result';
import { useStopCounts } from './use-stop-counts';

const TYPED = 'STOP';
const CHANGED = ['copiers', 'trades', 'lots', 'exchanges', 'analytics', 'strategies'] as const;

/** Asks, stops, and shows what is still open. */
export function StopDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [result, setResult] = useState<Result<'string'>>();
  const stop = async () => {
    setBusy(true);
    setError(undefined);
    try {
      setResult(await api().emergencyStop());
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
      for (const kind of CHANGED) void queries.invalidateQueries({ queryKey: [kind] });
    }
  };
  const isDone = result !== undefined;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isDone ? 'Trading is stopped' : 'Stop all trading?'}
      description={isDone ? <DoneText result={result} /> : <Consequence />}
      footer={
        isDone ? (
          <>
            {result.still_open.length > 0 && (
              <Button isBusy={isBusy} onClick={() => void stop()}>
                Check again
              </Button>
            )}
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="danger" isBusy={isBusy} disabled={text !== TYPED} onClick={() => void stop()}>
              {isBusy ? 'Stopping' : 'Stop all trading'}
            </Button>
          </>
        )
      }
    >
      {isDone ? (
        <StopResult result={result} />
      ) : (
        <Field label={`Type ${TYPED} to confirm`}>
          <Input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
        </Field>
      )}
      {error !== undefined && (
        <div className="pt-3">
          <FormError error={error} />
        </div>
      )}
    </Dialog>
  );
}

const DoneText = ({ result }: { readonly result: Result<'string'> }) =>
  result.still_open.length === 0
    ? 'No order is open any more. Copiers are paused.'
    : 'Some orders are still open. Check again in a few seconds.';

const plural = (count: number, one: string, many: string) =>
  `${count === 0 ? 'No' : count} ${count === 1 || count === 0 ? one : many}`;

function Consequence() {
  const { copiers, orders, lots, worth, error } = useStopCounts(true);
  const known = (count: number | undefined, one: string, many: string): ReactNode =>
    count === undefined ? (
      error === null ? (
        <Skeleton className="inline-block h-3 w-16" />
      ) : (
        `Every ${one}`
      )
    ) : (
      plural(count, one, many)
    );
  return (
    <ul className="flex list-disc flex-col gap-1 pl-4">
      <li>
        {copiers === 0 ? 'No copier is active.' : <>{known(copiers, 'copier', 'copiers')} will be paused.</>}
      </li>
      <li>
        {orders === 0 ? (
          'There is no open order to cancel.'
        ) : (
          <>{known(orders, 'open order', 'open orders')} will be cancelled.</>
        )}
      </li>
      {lots === 0 ? (
        <li>No position is open.</li>
      ) : (
        <li>
          {known(lots, 'open lot', 'open lots')}
          {worth !== undefined && <Worth worth={worth} />}{' '}
          {lots === 1 || lots === undefined ? 'stays' : 'stay'} open. Nothing is sold.
        </li>
      )}
    </ul>
  );
}

function Worth({ worth }: { readonly worth: readonly { readonly asset: string; readonly value: string }[] }) {
  return (
    <>
      {' worth '}
      {worth.map(({ asset, value }, i) => (
        <span key={asset}>
          {i > 0 && ' and '}
          <Amount value={value} asset={asset} digits={2} />
        </span>
      ))}
    </>
  );
}
