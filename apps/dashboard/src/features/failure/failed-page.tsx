'use client';
/** Every page contains this code, so that it needs nothing that could not be loaded. */
import { useEffect } from 'react';
import { PLAIN_PRIMARY, PLAIN_SECONDARY } from '../../ui/plain-button';

export interface FailedPageProps {
  readonly error: Error & { readonly digest?: string; readonly requestId?: string };
  readonly reset: () => void;
}

/** What is shown instead of a page whose code failed. An error of the API brings the id of its request. */
export function FailedPage({ error, reset }: FailedPageProps) {
  useEffect(() => {
    console.error(error);
  }, [error]);
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-start gap-3 py-16">
      <h1 className="font-semibold text-xl">This page failed.</h1>
      <p className="text-muted text-sm">
        Nothing that you saved is lost, and orders, strategies and copiers keep running. Try again; if it
        fails again, go to another page and report this.
      </p>
      <div className="flex flex-wrap gap-2">
        <button type="button" onClick={reset} className={PLAIN_PRIMARY}>
          Try again
        </button>
        {/* The whole page is loaded again: a link inside the failed one could lead to the same failure. */}
        <a href="/" className={PLAIN_SECONDARY}>
          Go to the overview
        </a>
      </div>
      <p className="text-muted text-xs">
        {error.requestId === undefined ? 'For the report:' : 'Request'}{' '}
        <code className="select-all">{error.requestId ?? error.digest ?? error.message}</code>
      </p>
    </div>
  );
}
