'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { Signer } from '@trading-automation/sdk/signer';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { loadLate } from '../../../data/late-code';
import { Button } from '../../../ui/button';
import { Copyable } from '../../../ui/copyable';
import { saveFile } from '../../../ui/data-table/csv';
import { Dialog } from '../../../ui/dialog';
import { Field, Input } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { notify } from '../../../ui/notify';
import { Segmented } from '../../../ui/segmented';
import { ApprovalNotice } from '../shared/approval';

const FILE_NAME = 'identity.key';
/** A key file is 65 bytes long. */
const MAX_BYTES = 1_024;
const NO_KEY = 'This file holds no private key. A key file has 64 hexadecimal digits and nothing else.';
const LABEL_MAX = 100;

interface KeyPair {
  readonly signer: Signer;
  /** The private key that this page made; undefined for one that its holder already has. */
  readonly made?: string;
}

const loadKeys = () => loadLate(() => import('../../../data/link-key'));

/** Links the public key of a key pair, which this page makes or reads from a file. */
export function LinkDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [source, setSource] = useState<'new' | 'file'>('new');
  const [label, setLabel] = useState('');
  const [pair, setPair] = useState<KeyPair>();
  const [isSaved, setSaved] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const forget = () => {
    setPair(undefined);
    setSaved(false);
    setRefusal(undefined);
    setError(undefined);
  };
  const close = () => {
    forget();
    setLabel('');
    onClose();
  };
  const run = async (act: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    await act().catch(setError);
    setBusy(false);
  };
  const make = () =>
    run(async () => {
      const { newKeyFile, readKeyFile } = await loadKeys();
      const made = newKeyFile();
      const signer = readKeyFile(made);
      if (signer !== undefined) setPair({ signer, made });
    });
  const read = (file: File | undefined) =>
    run(async () => {
      forget();
      if (file === undefined) return;
      const { readKeyFile } = await loadKeys();
      const signer = readKeyFile(file.size > MAX_BYTES ? '' : await file.text());
      if (signer === undefined) setRefusal(NO_KEY);
      else setPair({ signer });
    });
  const link = ({ signer }: KeyPair) =>
    run(async () => {
      const { linkPublicKey } = await loadKeys();
      await linkPublicKey(signer, label.trim());
      await queries.invalidateQueries({ queryKey: ['public-keys'] });
      notify({ kind: 'success', message: 'The public key is linked.' });
      close();
    });
  const isReady = pair !== undefined && (pair.made === undefined || isSaved);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title="Link a public key"
      description="The key pair gets the permission Admin, does not expire and works from every address."
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            isBusy={isBusy}
            disabled={!isReady}
            onClick={() => pair && void link(pair)}
          >
            Link public key
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <ApprovalNotice />
        <Field label="Label" hint="What the key is for, such as the name of a program or machine.">
          <Input
            value={label}
            maxLength={LABEL_MAX}
            autoComplete="off"
            onChange={(event) => setLabel(event.target.value)}
          />
        </Field>
        <div>
          <Segmented
            label="Key pair"
            value={source}
            onChange={(value) => {
              forget();
              setSource(value);
            }}
            options={[
              { value: 'new', label: 'New key pair' },
              { value: 'file', label: 'Key file' },
            ]}
          />
        </div>
        {source === 'new' ? (
          <NewPair
            pair={pair}
            onMake={() => void make()}
            onSave={(key) => {
              saveFile(new Blob([`${key}\n`], { type: 'text/plain' }), FILE_NAME);
              setSaved(true);
            }}
          />
        ) : (
          <Field
            label="Key file"
            hint="A file with the private key as 64 hexadecimal digits. This page signs with it, sends no part of it, and then forgets it."
            error={refusal}
          >
            <Input
              type="file"
              accept=".key,text/plain"
              onChange={(event) => void read(event.target.files?.[0])}
            />
          </Field>
        )}
        {pair !== undefined && (
          <p className="flex flex-wrap items-center gap-x-2 text-sm">
            <span className="text-muted">Public key</span>
            <Copyable text={pair.signer.publicKey} label="the public key" isShort />
          </p>
        )}
        {error !== undefined && <FormError error={error} />}
      </div>
    </Dialog>
  );
}

interface NewPairProps {
  readonly pair: KeyPair | undefined;
  readonly onMake: () => void;
  readonly onSave: (key: string) => void;
}

function NewPair({ pair, onMake, onSave }: NewPairProps) {
  const made = pair?.made;
  if (made === undefined)
    return (
      <div className="flex flex-col items-start gap-2 text-sm">
        <p className="text-muted">This page makes a key pair. You save its file before the key is linked.</p>
        <Button onClick={onMake}>Create key pair</Button>
      </div>
    );
  return (
    <div className="flex flex-col items-start gap-2 text-sm">
      <p role="status">Save the private key now. This page forgets it when the dialog closes.</p>
      <Button icon={<Download aria-hidden className="size-4" />} onClick={() => onSave(made)}>
        Save the key file
      </Button>
    </div>
  );
}
