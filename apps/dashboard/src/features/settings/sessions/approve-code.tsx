'use client';
import type { DeviceAuthorization } from '@trading-automation/sdk';
import { type FormEvent, useState } from 'react';
import { api } from '../../../data/api';
import { useMay } from '../../../data/me';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { Field, Input } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { CodeReview } from './code-review';
import { formatCode, isComplete, lettersOf } from './user-code.rules';

/** Approves or refuses the sign-in of another browser, by the code that it shows. */
export function ApproveCode() {
  const mayApprove = useMay('ADMIN');
  const [found, setFound] = useState<DeviceAuthorization>();
  const [done, setDone] = useState<string>();
  const close = (message?: string) => {
    setFound(undefined);
    setDone(message);
  };
  return (
    <Card title="Approve a code">
      <div className="flex flex-col gap-3">
        <p className="max-w-3xl text-muted text-sm">
          Another browser shows a code when it signs in. Approve it only if you started that sign-in yourself.
        </p>
        <p
          role="status"
          className={done === undefined ? 'sr-only' : 'rounded-card border bg-hover px-3 py-2 text-sm'}
        >
          {done}
        </p>
        {mayApprove === false ? (
          <p className="text-sm">Approving needs the ADMIN permission, which this session does not have.</p>
        ) : found === undefined ? (
          <CodeForm
            onFound={(authorization) => {
              setDone(undefined);
              setFound(authorization);
            }}
          />
        ) : (
          <CodeReview authorization={found} onClose={close} />
        )}
      </div>
    </Card>
  );
}

function CodeForm({ onFound }: { readonly onFound: (authorization: DeviceAuthorization) => void }) {
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const find = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setError(undefined);
    if (!isComplete(code)) return setProblem('A code has 8 letters, such as BCDF-GHJK.');
    setBusy(true);
    try {
      onFound(await api().deviceAuthorizations.get(lettersOf(code)));
    } catch (failure) {
      const isUnknown = Object(failure).status === 404;
      if (isUnknown)
        setProblem('No browser shows this code now. Check the letters, or show a new code there.');
      else setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form noValidate onSubmit={find} className="flex flex-col gap-3">
      <Field label="Code" error={problem} className="max-w-80">
        <span className="flex gap-2">
          <Input
            value={code}
            onChange={(event) => {
              setCode(formatCode(event.target.value));
              setProblem(undefined);
            }}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            placeholder="XXXX-XXXX"
            className="font-mono tracking-widest uppercase placeholder:normal-case"
          />
          <Button type="submit" variant="primary" isBusy={isBusy}>
            Check code
          </Button>
        </span>
      </Field>
      {error !== undefined && <FormError error={error} />}
    </form>
  );
}
