'use client';
import { ApiError } from '@trading-automation/sdk';
import { useState } from 'react';

export interface Progress {
  readonly done: number;
  readonly total: number;
}

export interface Outcome {
  readonly done: number;
  /** Records whose state no longer allows the action, for example because another tab was faster. */
  readonly skipped: number;
}

/** Runs an action for each of many records, one after the other, and reports the progress. */
export function useRunMany() {
  const [progress, setProgress] = useState<Progress>();
  const run = async (
    ids: readonly string[],
    action: (id: string) => PromiseLike<unknown>,
  ): Promise<Outcome> => {
    let skipped = 0;
    setProgress({ done: 0, total: ids.length });
    try {
      for (const [i, id] of ids.entries()) {
        try {
          await action(id);
        } catch (error) {
          if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 404)) throw error;
          skipped += 1;
        }
        setProgress({ done: i + 1, total: ids.length });
      }
    } finally {
      setProgress(undefined);
    }
    return { done: ids.length - skipped, skipped };
  };
  return { progress, run };
}

/** Says what a run has done: "12 events are sent again; 1 skipped, because …". */
export function outcomeText({ done, skipped }: Outcome, one: string, many: string, reason: string): string {
  const main = `${done} ${done === 1 ? one : many}`;
  return skipped === 0 ? `${main}.` : `${main}; ${skipped} skipped, because ${reason}.`;
}
