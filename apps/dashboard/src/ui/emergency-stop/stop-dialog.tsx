'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { EmergencyStop as Result } from '@trading-automation/sdk';
import { type ReactNode, useState } from 'react';
import { api } from '../../data/api';
import { Button } from '../button';
import { Dialog } from '../dialog';
import { Checkbox, Field, Input } from '../field';
import { FormError } from '../form-error';
import { Skeleton } from '../skeleton';
import { Amount } from '../values';
import type { Staying } from './closing-plan.rules';
import type { Worth as WorthOf } from './open-after-stop.rules';
import { afterRepeat } from './repeated-stop.rules';
import { StayingList } from './staying-list';
import { stillOpenOf } from './still-open.rules';
import { StopResult } from './stop-result';
import { useStopCounts } from './use-stop-counts';

const TYPED = 'STOP';
const CHANGED = ['copiers', 'trades', 'lots', 'positions', 'exchanges', 'analytics', 'strategies'] as const;

/** Asks, stops, and shows what is still open. */
export function StopDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [closesPositions, setClosesPositions] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [result, setResult] = useState<Result<'string'>>();
  const [left, setLeft] = useState<readonly Staying[]>([]);
  const counts = useStopCounts(closesPositions);
  const stop = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const again = await api().emergencyStop({ close_positions: closesPositions });
      // After the stop, fewer positions are open, so that this cannot be read later.
      if (result === undefined && closesPositions) setLeft(counts.staying);
      setResult((before) => afterRepeat(before, again));
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
      description={
        isDone ? (
          <DoneText result={result} />
        ) : (
          <Consequence counts={counts} closesPositions={closesPositions} />
        )
      }
      footer={
        isDone ? (
          <>
            {stillOpenOf(result).length > 0 && (
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
        <StopResult result={result} closesPositions={closesPositions} staying={left} />
      ) : (
        <div className="flex flex-col gap-3">
          {counts.mayHavePositions && (
            <Checkbox
              label="Also close all positions in perpetuals"
              hint="Sends a reduce-only market order for each position, which fills at the prices of the book."
              checked={closesPositions}
              onChange={(event) => setClosesPositions(event.target.checked)}
            />
          )}
          <Field label={`Type ${TYPED} to confirm`}>
            <Input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
          </Field>
        </div>
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
  stillOpenOf(result).length === 0
    ? 'No order is left to cancel. Copiers are paused.'
    : 'Some orders are still open. Check again in a few seconds.';

const plural = (count: number, one: string, many: string) =>
  `${count === 0 ? 'No' : count} ${count === 1 || count === 0 ? one : many}`;

interface ConsequenceProps {
  readonly counts: ReturnType<typeof useStopCounts>;
  readonly closesPositions: boolean;
}

function Consequence({ counts, closesPositions }: ConsequenceProps) {
  const { copiers, orders, lots, worth, positions, positionsWorth, staying, error } = counts;
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
      {closesPositions && (
        <li>
          {positions === 0 ? (
            staying.length === 0 ? (
              'No position in a perpetual is open.'
            ) : (
              'No position in a perpetual can be closed.'
            )
          ) : positions === undefined && error !== null ? (
            'Positions in perpetuals will be closed at market where the account is active and the market is traded.'
          ) : (
            <>
              {known(positions, 'position', 'positions')} in perpetuals
              {positionsWorth !== undefined && <Worth worth={positionsWorth} />} will be closed at market.
            </>
          )}
        </li>
      )}
      {closesPositions && staying.length > 0 && (
        <li>
          {staying.length === 1 ? 'This position stays' : 'These positions stay'} open:
          <StayingList staying={staying} />
        </li>
      )}
      {lots === 0 ? (
        <li>{closesPositions ? 'Nothing else is open.' : 'No position is open.'}</li>
      ) : (
        <li>
          {closesPositions
            ? known(lots, 'other open lot', 'other open lots')
            : known(lots, 'open lot', 'open lots')}
          {worth !== undefined && <Worth worth={worth} />}{' '}
          {lots === 1 || lots === undefined ? 'stays' : 'stay'} open. Nothing {closesPositions && 'else '}is
          sold.
        </li>
      )}
    </ul>
  );
}

function Worth({ worth }: { readonly worth: readonly WorthOf[] }) {
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
