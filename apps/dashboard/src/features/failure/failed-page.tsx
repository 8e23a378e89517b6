'use client';
import { ApiError } from '@trading-automation/sdk';
import { CircleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from '../../ui/button';
import { Copyable } from '../../ui/copyable';

export interface FailedPageProps {
  readonly error: Error & { readonly digest?: string };
  readonly reset: () => void;
}

/** What is shown instead of a page whose code failed. */
export function FailedPage({ error, reset }: FailedPageProps) {
  useEffect(() => {
    console.error(error);
  }, [error]);
  const isApiError = error instanceof ApiError;
  const reference = isApiError ? error.requestId : (error.digest ?? error.message);
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-start gap-3 py-16">
      <CircleAlert aria-hidden className="size-6 text-muted" />
      <h1 className="font-semibold text-xl">This page failed.</h1>
      <p className="text-muted text-sm">
        Nothing that you saved is lost, and orders, strategies and copiers keep running. Try again; if it
        fails again, go to another page and report this.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={reset}>
          Try again
        </Button>
        <Button onClick={() => window.location.assign('/')}>Go to the overview</Button>
      </div>
      {reference !== undefined && (
        <p className="text-muted text-xs">
          {isApiError ? 'Request' : 'For the report:'} <Copyable text={reference} />
        </p>
      )}
    </div>
  );
}
