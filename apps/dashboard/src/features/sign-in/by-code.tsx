'use client';
import { useCallback, useEffect, useState } from 'react';
import { callServer } from '../../data/session';
import { Button } from '../../ui/button';
import { Copyable } from '../../ui/copyable';
import { FormError } from '../../ui/form-error';
import { Skeleton } from '../../ui/skeleton';

interface StartedCode {
  readonly user_code: string;
  readonly expires_at: string;
  readonly interval: number;
}
type CodeState = 'PENDING' | 'DENIED' | 'EXPIRED' | 'APPROVED';

const ENDED = {
  DENIED: 'The code was refused.',
  EXPIRED: 'The code expired after 10 minutes.',
} as const;

/** Shows a code, which the CLI or another signed-in browser approves. */
export function ByCode({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [code, setCode] = useState<StartedCode>();
  const [ended, setEnded] = useState<keyof typeof ENDED>();
  const [error, setError] = useState<unknown>();

  const start = useCallback(() => {
    setCode(undefined);
    setEnded(undefined);
    setError(undefined);
    callServer<StartedCode>('POST', '/code').then(setCode, setError);
  }, []);

  useEffect(() => {
    if (code === undefined || ended !== undefined) return;
    let isGone = false;
    const poll = async () => {
      const state = await callServer<{ state: CodeState }>('POST', '/code/poll').then(
        (answer) => answer.state,
        // The next poll may succeed.
        () => 'PENDING' as const,
      );
      if (isGone) return;
      if (state === 'APPROVED') onSignedIn();
      else if (state === 'PENDING') timer = setTimeout(poll, code.interval * 1000 + 200);
      else setEnded(state);
    };
    let timer = setTimeout(poll, code.interval * 1000 + 200);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [code, ended, onSignedIn]);

  if (error !== undefined)
    return (
      <div className="flex flex-col items-start gap-3">
        <FormError error={error} />
        <Button onClick={start}>Try again</Button>
      </div>
    );
  if (code === undefined)
    return (
      <div className="flex flex-col items-start gap-4">
        <p className="text-muted text-sm">
          Shows a code that you approve with the command-line client, or in a browser that is signed in.
        </p>
        <Button variant="primary" onClick={start}>
          Show a code
        </Button>
      </div>
    );
  if (ended !== undefined)
    return (
      <div className="flex flex-col items-start gap-3">
        <p role="status" className="text-sm">
          {ENDED[ended]}
        </p>
        <Button variant="primary" onClick={start}>
          Show a new code
        </Button>
      </div>
    );
  return (
    <div className="flex flex-col gap-4">
      <p className="font-medium font-mono text-figure tracking-widest" data-testid="user-code">
        {code.user_code}
      </p>
      <div className="text-sm">
        <p className="pb-1 text-muted">Approve it in a terminal:</p>
        <Copyable text={`svc auth approve ${code.user_code}`} label="the command" />
      </div>
      <p className="text-muted text-sm">
        Or in a signed-in browser, under Settings, Sessions, “Approve a code”.
      </p>
      <p role="status" className="flex items-center gap-2 text-muted text-sm">
        <Skeleton className="size-2 rounded-full" />
        Waiting for the approval. The code is valid for 10 minutes.
      </p>
    </div>
  );
}
