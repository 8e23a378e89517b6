'use client';
import { type FormEvent, useState } from 'react';
import { callServer } from '../../data/session';
import { Button } from '../../ui/button';
import { Field, Input } from '../../ui/field';
import { FormError } from '../../ui/form-error';

/** Exchanges an API key for a session. */
export function ByApiKey({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [apiKey, setApiKey] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await callServer('POST', '/api-key', { api_key: apiKey });
      onSignedIn();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    } finally {
      // The key is used once; this page does not keep it.
      setApiKey('');
    }
  };
  return (
    <form onSubmit={submit} className="flex flex-col items-stretch gap-3">
      <Field
        label="API key"
        hint="It is exchanged for a session with the same permissions, and then discarded."
      >
        <Input
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={apiKey}
          onChange={(event) => setApiKey(event.target.value)}
          placeholder="svc_…"
          required
        />
      </Field>
      {error !== undefined && <FormError error={error} />}
      <Button type="submit" variant="primary" isBusy={isBusy} className="self-start">
        Sign in
      </Button>
    </form>
  );
}
