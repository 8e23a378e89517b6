/** Closes lots one by one. */

interface CloseFailure<L> {
  readonly lot: L;
  readonly error: unknown;
}

export interface CloseProgress<L, T> {
  readonly total: number;
  readonly done: number;
  readonly closed: readonly { readonly lot: L; readonly trade: T }[];
  readonly failed: readonly CloseFailure<L>[];
}

/**
 * Closes each lot; a failure does not end the run. `onProgress` is called after each lot. `isStopped` ends the run
 * before the next lot.
 */
export async function closeAll<L, T>(
  lots: readonly L[],
  close: (lot: L) => Promise<T>,
  onProgress: (progress: CloseProgress<L, T>) => void,
  isStopped: () => boolean,
): Promise<void> {
  let progress: CloseProgress<L, T> = { total: lots.length, done: 0, closed: [], failed: [] };
  for (const lot of lots) {
    if (isStopped()) return;
    try {
      const trade = await close(lot);
      progress = { ...progress, done: progress.done + 1, closed: [...progress.closed, { lot, trade }] };
    } catch (error) {
      progress = { ...progress, done: progress.done + 1, failed: [...progress.failed, { lot, error }] };
    }
    onProgress(progress);
  }
}
