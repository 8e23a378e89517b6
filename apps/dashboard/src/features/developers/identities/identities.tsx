'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { PublicKey } from '@trading-automation/sdk';
import Link from 'next/link';
import { useMemo, useState } from 'react';
import { api } from '../../../data/api';
import { useMay } from '../../../data/me';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { CodeBlock } from '../../../ui/code-block';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { Copyable, shortId } from '../../../ui/copyable';
import type { Column, Filter } from '../../../ui/data-table/columns';
import { DataTable } from '../../../ui/data-table/data-table';
import { onDemand } from '../../../ui/on-demand';
import { PageHeader } from '../../../ui/page-header';
import { EmptyState } from '../../../ui/states';
import { useWasTrue } from '../../../ui/use-was-true';
import { Missing, Time } from '../../../ui/values';

const LinkDialog = onDemand(() => import('./link-dialog').then((module) => module.LinkDialog));

const KEY = ['public-keys', 'list'];
const read = (...[query, options]: Parameters<ReturnType<typeof api>['publicKeys']['list']>) =>
  api().publicKeys.list(query, options);
const keyOf = ({ id }: PublicKey) => id;
const FILTERS: readonly Filter[] = [
  { name: 'include', label: 'Revoked keys', options: [{ value: 'revoked', label: 'Included' }] },
];

const columnsWith = (onRevoke: ((key: PublicKey) => void) | undefined): readonly Column<PublicKey>[] => [
  {
    id: 'label',
    header: 'Label',
    cell: ({ label }) => (label === undefined ? <Missing /> : <span className="font-medium">{label}</span>),
    below: ({ pubkey }) => <Copyable text={pubkey} label="the public key" isShort />,
    csv: ({ label }) => label,
  },
  {
    id: 'pubkey',
    header: 'Public key',
    from: 'md',
    cell: ({ pubkey }) => <Copyable text={pubkey} label="the public key" isShort />,
    csv: ({ pubkey }) => pubkey,
  },
  {
    id: 'created_at',
    header: 'Linked',
    sort: 'created_at',
    from: 'md',
    cell: ({ created_at }) => <Time at={created_at} />,
    csv: ({ created_at }) => created_at,
  },
  {
    id: 'last_used_at',
    header: 'Last seen',
    from: 'md',
    cell: ({ last_used_at }) =>
      last_used_at === undefined ? <span className="text-muted">Never</span> : <Time at={last_used_at} />,
    csv: ({ last_used_at }) => last_used_at,
  },
  {
    id: 'actions',
    header: onRevoke === undefined ? 'State' : 'Actions',
    isNumeric: true,
    cell: (key) =>
      key.revoked_at !== undefined ? (
        <Badge>Revoked</Badge>
      ) : (
        onRevoke && (
          <Button
            variant="ghost"
            onClick={() => onRevoke(key)}
            aria-label={`Revoke ${key.label ?? key.pubkey}`}
          >
            Revoke
          </Button>
        )
      ),
    csv: ({ revoked_at }) => revoked_at,
  },
];

/** The public keys that may sign requests for the account. `restUrl`: the origin of the REST API, for the command. */
export function Identities({ restUrl }: { readonly restUrl: string }) {
  const queries = useQueryClient();
  const mayRevoke = useMay('ADMIN') === true;
  const [revoked, setRevoked] = useState<PublicKey>();
  const [isLinking, setLinking] = useState(false);
  const columns = useMemo(() => columnsWith(mayRevoke ? setRevoked : undefined), [mayRevoke]);
  const revoke = async () => {
    await api().publicKeys.revoke(revoked?.id ?? '');
    await queries.invalidateQueries({ queryKey: ['public-keys'] });
  };
  return (
    <>
      <PageHeader
        title="Identities"
        description="Key pairs that sign requests to this account, with the permission Admin. The private key never leaves the machine that made it."
        actions={
          mayRevoke && (
            <Button variant="primary" onClick={() => setLinking(true)}>
              Link public key
            </Button>
          )
        }
      />
      {useWasTrue(isLinking) && <LinkDialog isOpen={isLinking} onClose={() => setLinking(false)} />}
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_400px]">
        <DataTable
          label="Identities"
          queryKey={KEY}
          read={read}
          columns={columns}
          filters={FILTERS}
          rowKey={keyOf}
          empty={
            <EmptyState
              title="No public key is linked yet."
              hint="Link one here, or with the command-line client, as described on this page."
            />
          }
        />
        <LinkGuide restUrl={restUrl} />
      </div>
      <ConfirmDialog
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        title={`Revoke ${revoked?.label === undefined ? 'this key' : `“${revoked.label}”`}?`}
        action="Revoke key"
        isDanger
        onConfirm={revoke}
      >
        Requests signed with {shortId(revoked?.pubkey ?? '')} are refused at once, and browser sessions that
        it approved end. It was {revoked?.last_used_at === undefined ? 'never used' : 'last seen '}
        {revoked?.last_used_at !== undefined && <Time at={revoked.last_used_at} />}. You can link the key
        again later.
      </ConfirmDialog>
    </>
  );
}

function LinkGuide({ restUrl }: { readonly restUrl: string }) {
  return (
    <Card title="Link from the command line" className="self-start">
      <ol className="flex list-decimal flex-col gap-3 pl-4 text-sm marker:text-muted">
        <li>
          <Link href="/developers/api-keys?new=1" className="text-accent-text underline">
            Create an API key
          </Link>{' '}
          with the permission Admin and without an expiry or an allow-list. A key pair has all permissions,
          does not expire and works from every address, and a credential cannot create one with more rights
          than its own. The key only links the key pair.
        </li>
        <li className="min-w-0">
          <p className="pb-2">Run the command-line client on the machine that gets the key pair:</p>
          <CodeBlock
            label="Command that links a key pair"
            title="Terminal"
            code={`svc auth login \\
  --base-url "${restUrl}" \\
  --api-key-stdin < api-key.txt`}
          />
          <p className="pt-2 text-muted">
            It creates the key pair, stores the private key in the keychain and links the public key. Without
            the client, sign a challenge and call{' '}
            <Link
              href="/developers/reference?operation=auth.cliIdentity"
              className="text-accent-text underline"
            >
              the operation that links a public key
            </Link>
            .
          </p>
        </li>
        <li>The identity appears here. Revoke the API key, and delete the file.</li>
      </ol>
    </Card>
  );
}
