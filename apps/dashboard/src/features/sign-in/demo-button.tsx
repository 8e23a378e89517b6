'use client';
import { useState } from 'react';
import { callServer } from '../../data/session';
import { Button } from '../../ui/button';
import { FormError } from '../../ui/form-error';

/** Signs in as the demo account. Only development has it. */
export function DemoButton({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const signIn = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await callServer('POST', '/demo');
      onSignedIn();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <div className="mb-6 flex flex-col gap-3 rounded-card border bg-surface p-4">
      <p className="text-muted text-sm">
        This is a development environment with a demo account and play money.
      </p>
      <Button variant="primary" isBusy={isBusy} onClick={() => void signIn()} className="self-start">
        Sign in as the demo account
      </Button>
      {error !== undefined && <FormError error={error} />}
    </div>
  );
}
