'use client';
/** Stops all trading: pauses every copier and cancels every open order. Positions stay open. */
import { OctagonX } from 'lucide-react';
import { useState } from 'react';
import { useMayTrade } from '../../data/me';
import { Button } from '../button';
import { onDemand } from '../on-demand';

const StopDialog = onDemand(() => import('./stop-dialog').then((module) => module.StopDialog));

/** The button of the emergency stop, with its confirmation and its result. */
export function EmergencyStop() {
  const [isOpen, setOpen] = useState(false);
  const mayTrade = useMayTrade();
  return (
    <>
      <Button
        variant="danger-outline"
        icon={<OctagonX aria-hidden className="size-4" />}
        disabled={!mayTrade}
        title={mayTrade ? undefined : 'This session has no permission to trade.'}
        onClick={() => setOpen(true)}
      >
        Emergency stop
      </Button>
      {isOpen && <StopDialog onClose={() => setOpen(false)} />}
    </>
  );
}
