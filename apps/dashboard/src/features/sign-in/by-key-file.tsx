'use client';
import { type ChangeEvent, useState } from 'react';
import { loadLate } from '../../data/late-code';
import { Field, Input } from '../../ui/field';
import { FormError } from '../../ui/form-error';

/** A key file is 65 bytes long. */
const MAX_BYTES = 1_024;
const NO_KEY = 'This file holds no private key. A key file has 64 hexadecimal digits and nothing else.';

/** Signs in with the file that was saved when the account was created. */
export function ByKeyFile({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [refusal, setRefusal] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const use = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    if (file === undefined) return;
    setRefusal(undefined);
    setError(undefined);
    setBusy(true);
    try {
      const { readKeyFile, signInWithKey } = await loadLate(() => import('../../data/create-account'));
      const signer = readKeyFile(file.size > MAX_BYTES ? '' : await file.text());
      if (signer === undefined) {
        setRefusal(NO_KEY);
        setBusy(false);
      } else {
        await signInWithKey(signer);
        onSignedIn();
      }
    } catch (failure) {
      setError(failure);
      setBusy(false);
    } finally {
      // The same file can be chosen again.
      target.value = '';
    }
  };
  return (
    <div className="flex flex-col gap-3">
      <Field
        label="Key file"
        hint="The file that you saved when you created the account. This page signs with its key, sends no part of it, and then forgets it."
        error={refusal}
      >
        <Input type="file" accept=".key,text/plain" disabled={isBusy} onChange={(event) => void use(event)} />
      </Field>
      {error !== undefined && <FormError error={error} />}
    </div>
  );
}
