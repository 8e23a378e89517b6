import type { EmergencyStop } from '@trading-automation/sdk';

type Result = EmergencyStop<'string'>;

/**
 * The result of a stop that was run again to see its progress. A repeated stop reports only what it did itself, so the
 * copiers and orders of the earlier runs are kept. What is open is as of the last run.
 */
export function afterRepeat(before: Result | undefined, again: Result): Result {
  if (before === undefined) return again;
  const ended = [...again.cancelled, ...again.ended_otherwise];
  const isClosing = ({ id, status }: Result['closing'][number]) => {
    const now = ended.find((order) => order.id === id)?.status ?? status;
    return now !== 'CANCELLED' && now !== 'FAILED';
  };
  return {
    ...again,
    paused_copiers: united(before.paused_copiers, again.paused_copiers),
    cancelled: united(before.cancelled, again.cancelled),
    ended_otherwise: united(before.ended_otherwise, again.ended_otherwise),
    closing: united(before.closing, again.closing).filter(isClosing),
  };
}

/** The records of both lists, once each. */
const united = <T extends { readonly id: string }>(before: readonly T[], again: readonly T[]): T[] => [
  ...before.filter(({ id }) => !again.some((record) => record.id === id)),
  ...again,
];
