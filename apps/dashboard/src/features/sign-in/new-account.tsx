'use client';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { loadLate } from '../../data/late-code';
import { Button } from '../../ui/button';
import { Copyable } from '../../ui/copyable';
import { FormError } from '../../ui/form-error';

const FILE_NAME = 'trading-automation.key';

interface NewAccountProps {
  readonly restUrl: string;
  readonly onSignedIn: () => void;
}

/** Creates an account: the page makes the key pair, and the person keeps its file. */
export function NewAccount({ restUrl, onSignedIn }: NewAccountProps) {
  const [file, setFile] = useState<string>();
  const [isSaved, setSaved] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const create = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { createAccount } = await loadLate(() => import('../../data/create-account'));
      setFile(await createAccount());
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const save = (key: string) => {
    const url = URL.createObjectURL(new Blob([`${key}\n`], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = FILE_NAME;
    link.click();
    URL.revokeObjectURL(url);
    setSaved(true);
  };
  if (file === undefined)
    return (
      <div className="flex flex-col items-start gap-4">
        <p className="text-muted text-sm">
          This page makes a key pair. Its file is the only way back into the account, so you save it in the
          next step.
        </p>
        <Button variant="primary" isBusy={isBusy} onClick={() => void create()}>
          Create an account
        </Button>
        {error !== undefined && <FormError error={error} />}
      </div>
    );
  return (
    <div className="flex flex-col items-start gap-4">
      <p role="status" className="text-sm">
        The account is open. Save its key now: this page forgets it when you continue.
      </p>
      <Button
        variant={isSaved ? 'secondary' : 'primary'}
        icon={<Download aria-hidden className="size-4" />}
        onClick={() => save(file)}
      >
        Save the key file
      </Button>
      <div className="w-full text-sm">
        <p className="pb-1 text-muted">
          Sign in with it here, under “Key file”, whenever a session has ended, or in a terminal:
        </p>
        <Copyable
          text={`svc auth login --base-url ${restUrl} --key-stdin < ${FILE_NAME}`}
          label="the command"
        />
      </div>
      <Button
        variant="primary"
        disabled={!isSaved}
        onClick={() => {
          setFile(undefined);
          onSignedIn();
        }}
      >
        Continue to the dashboard
      </Button>
    </div>
  );
}
