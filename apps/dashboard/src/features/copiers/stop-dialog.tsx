'use client';
/** Stops a copier: what it still copies, and what stays open. */
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api } from '../../data/api';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { FormError } from '../../ui/form-error';
import { Skeleton } from '../../ui/skeleton';
import { HeldPositions } from './holdings';
import { type CopierRow, useHoldings } from './use-copier';

type Mode = 'CLOSE_ONLY' | 'PAUSED';
const CHOICES: readonly { mode: Mode; label: string; meaning: string }[] = [
  {
    mode: 'CLOSE_ONLY',
    label: 'Close only',
    meaning: 'Copies no new entries. Open copies are still closed when the strategy closes them.',
  },
  {
    mode: 'PAUSED',
    label: 'Pause',
    meaning: 'Copies neither entries nor exits. Open copies stay open until you close them yourself.',
  },
];

export function StopCopier({
  copier,
  onClose,
}: {
  readonly copier: CopierRow;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const holdings = useHoldings(copier.id);
  const choices = CHOICES.filter(({ mode }) => mode !== copier.status);
  const [mode, setMode] = useState<Mode>(choices[0]?.mode ?? 'PAUSED');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const stop = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await api().copiers.stop(copier.id, { mode });
      await queries.invalidateQueries({ queryKey: ['copiers'] });
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Stop ${copier.name}?`}
      description="Stopping closes no position. Orders of entries that are still open are cancelled."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant={mode === 'PAUSED' ? 'danger' : 'primary'}
            isBusy={isBusy}
            onClick={() => void stop()}
          >
            {mode === 'PAUSED' ? 'Pause copier' : 'Set to close only'}
          </Button>
        </>
      }
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">How to stop</legend>
        {choices.map((choice) => (
          <ModeChoice
            key={choice.mode}
            {...choice}
            isChosen={mode === choice.mode}
            onChoose={() => setMode(choice.mode)}
          />
        ))}
      </fieldset>
      <p role="status" className="pt-4 text-sm">
        {holdings.data === undefined ? (
          holdings.isError ? (
            'The open positions could not be loaded. They stay open in any case.'
          ) : (
            <Skeleton className="h-5 w-64" />
          )
        ) : holdings.data.positions === 0 ? (
          'The copier holds no open position.'
        ) : (
          <>
            <strong className="font-semibold">
              <HeldPositions holdings={holdings.data} />
            </strong>{' '}
            {holdings.data.positions === 1 ? 'stays' : 'stay'} open
            {mode === 'PAUSED'
              ? ', and nothing closes them automatically.'
              : ' until the strategy closes its own.'}
          </>
        )}
      </p>
      {error !== undefined && (
        <div className="pt-3">
          <FormError error={error} />
        </div>
      )}
    </Dialog>
  );
}

function ModeChoice({
  label,
  meaning,
  isChosen,
  onChoose,
}: {
  readonly label: string;
  readonly meaning: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const id = useId();
  return (
    <div className={`flex gap-3 rounded-card border p-3 ${isChosen ? 'border-accent' : ''}`}>
      <input
        id={id}
        type="radio"
        name="mode"
        checked={isChosen}
        onChange={onChoose}
        aria-describedby={`${id}-meaning`}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div className="text-sm">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <p id={`${id}-meaning`} className="text-muted text-xs">
          {meaning}
        </p>
      </div>
    </div>
  );
}
