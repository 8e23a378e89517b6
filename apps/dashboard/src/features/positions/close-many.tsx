'use client';
/** Closes several lots, one by one: asks with the sums, shows the progress and lists what was refused. */
import { useQueryClient } from '@tanstack/react-query';
import type { TradeDetail } from '@trading-automation/sdk';
import { useRef, useState } from 'react';
import { api } from '../../data/api';
import type { LotRow } from '../../data/open-lots';
import { useSendOnce } from '../../data/send-once';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { type CloseProgress, closeAll } from './close-all.rules';
import { CloseRun } from './close-run';
import { CloseSums } from './close-sums';

export interface LotSelection {
  readonly lots: readonly LotRow[];
  /** What the lots have in common, such as "BTC/USDT on Paper account". */
  readonly name: string;
}

type Progress = CloseProgress<LotRow, TradeDetail<'string'>>;
const CHANGED = ['lots', 'trades', 'exchanges', 'analytics'] as const;

export function CloseMany({
  selection,
  onClose,
}: {
  readonly selection: LotSelection;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const [lots] = useState(selection.lots);
  const once = useSendOnce();
  const [progress, setProgress] = useState<Progress>();
  const [isRunning, setRunning] = useState(false);
  const mustStop = useRef(false);
  const count = `${lots.length} ${lots.length === 1 ? 'lot' : 'lots'}`;
  const run = async () => {
    setRunning(true);
    setProgress({ total: lots.length, done: 0, closed: [], failed: [] });
    const close = ({ id }: LotRow) =>
      once(id, (idempotencyKey) => api().lots.close(id, {}, { idempotencyKey }));
    await closeAll(lots, close, setProgress, () => mustStop.current);
    setRunning(false);
    for (const kind of CHANGED) void queries.invalidateQueries({ queryKey: [kind] });
  };
  const leave = () => {
    mustStop.current = true;
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={leave}
      title={progress === undefined ? `Close ${count}?` : isRunning ? 'Closing lots' : 'Orders sent'}
      description={
        progress === undefined
          ? `Each lot of ${selection.name} is closed with its own market order, one by one. This cannot be undone.`
          : undefined
      }
      footer={
        progress === undefined ? (
          <>
            <Button onClick={leave}>Cancel</Button>
            <Button variant="danger" onClick={() => void run()}>
              Close {count}
            </Button>
          </>
        ) : isRunning ? (
          <Button
            onClick={() => {
              mustStop.current = true;
            }}
          >
            Stop after this lot
          </Button>
        ) : (
          <Button variant="primary" onClick={leave}>
            Done
          </Button>
        )
      }
    >
      {progress === undefined ? (
        <CloseSums lots={lots} />
      ) : (
        <CloseRun progress={progress} isRunning={isRunning} />
      )}
    </Dialog>
  );
}
