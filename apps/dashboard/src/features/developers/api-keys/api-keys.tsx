'use client';
import type { ApiKey, ApiKeyWithValue } from '@trading-automation/sdk';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../../data/api';
import { useMay } from '../../../data/me';
import { useQuery, useQueryClient } from '../../../data/query';
import { Button } from '../../../ui/button';
import { CodeBlock } from '../../../ui/code-block';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { DataTable } from '../../../ui/data-table/data-table';
import { onDemand } from '../../../ui/on-demand';
import { PageHeader } from '../../../ui/page-header';
import { EmptyState } from '../../../ui/states';
import { Time } from '../../../ui/values';
import { SecretDialog } from '../shared/secret-dialog';
import { useNew } from '../shared/use-new';
import { actionsColumn, COLUMNS, FILTERS, keyText } from './columns';

/** The form and its schema are loaded when they are needed. */
const CreateKey = onDemand(() => import('./create-key').then((module) => module.CreateKey));

const KEY = ['api-keys', 'list'];
const KEYS_MAX = 1_000;
const read = (...[query, options]: Parameters<ReturnType<typeof api>['apiKeys']['list']>) =>
  api().apiKeys.list(query, options);
const keyOf = ({ id }: ApiKey) => id;
const sampleOf = (restUrl: string) => `curl -i "${restUrl}/v1/me" -H "X-API-Key: $API_KEY"`;

/** `restUrl`: the origin of the REST API, for the sample request. */
export function ApiKeys({ restUrl }: { readonly restUrl: string }) {
  const queries = useQueryClient();
  const mayCreate = useMay('ADMIN') === true;
  const [isCreating, setCreating] = useNew();
  const [revealed, setRevealed] = useState<ApiKeyWithValue>();
  const [rotated, setRotated] = useState<ApiKey>();
  const [revoked, setRevoked] = useState<ApiKey>();
  const columns = useMemo(
    () => (mayCreate ? [...COLUMNS, actionsColumn(setRotated, setRevoked)] : COLUMNS),
    [mayCreate],
  );
  const rotate = async (id: string) => {
    setRevealed(await api().apiKeys.rotate(id));
    void queries.invalidateQueries({ queryKey: ['api-keys'] });
  };
  const revoke = async (id: string) => {
    await api().apiKeys.revoke(id);
    await queries.invalidateQueries({ queryKey: ['api-keys'] });
  };
  const create = mayCreate && (
    <Button
      variant="primary"
      icon={<Plus aria-hidden className="size-4" />}
      onClick={() => setCreating(true)}
    >
      Create key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description="A program sends its key as X-API-Key. Give each program its own key, with as few permissions as it needs."
        actions={create}
      />
      <DataTable
        label="API keys"
        queryKey={KEY}
        read={read}
        columns={columns}
        filters={FILTERS}
        rowKey={keyOf}
        empty={
          <EmptyState
            title="No API key exists yet."
            hint="Create one to call the API from a program."
            action={create}
          />
        }
      />
      {mayCreate && isCreating && (
        <CreateKey isOpen onClose={() => setCreating(false)} onCreated={setRevealed} />
      )}
      <SecretDialog
        title={`API key “${revealed?.name ?? ''}”`}
        name="key"
        secret={revealed?.key}
        onClose={() => setRevealed(undefined)}
      >
        <CodeBlock label="Sample request" title="curl" code={sampleOf(restUrl)} />
      </SecretDialog>
      <ConfirmDialog
        isOpen={rotated !== undefined}
        onClose={() => setRotated(undefined)}
        title={`Rotate “${rotated?.name ?? ''}”?`}
        action="Rotate key"
        isDanger
        onConfirm={() => rotate(rotated?.id ?? '')}
      >
        {rotated !== undefined && (
          <>
            {keyText(rotated)} stops working at once, and a new key is shown. Permissions, expiry and allowed
            addresses stay. <LastUse apiKey={rotated} />
          </>
        )}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        title={`Revoke “${revoked?.name ?? ''}”?`}
        action="Revoke key"
        isDanger
        onConfirm={() => revoke(revoked?.id ?? '')}
      >
        {revoked !== undefined && (
          <>
            Programs that use {keyText(revoked)} are refused at once. This cannot be undone.{' '}
            <LastUse apiKey={revoked} />
          </>
        )}
      </ConfirmDialog>
    </>
  );
}

/** When the key was last used, loaded when it is asked for: a use is no event, so that the list may be older. */
function LastUse({ apiKey: { id } }: { readonly apiKey: ApiKey }) {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['api-keys', 'last-use', id],
    queryFn: async ({ signal }) => {
      const keys = await api().apiKeys.list({ limit: 100 }, { signal }).toArray({ limit: KEYS_MAX });
      // The list must not show an earlier time than the dialog.
      void queries.invalidateQueries({ queryKey: KEY });
      return keys.find((key) => key.id === id) ?? null;
    },
    staleTime: 0,
    gcTime: 0,
  });
  if (!data) return null;
  return (
    <span className="font-medium text-text">
      {data.last_used_at === null ? (
        'It was never used.'
      ) : (
        <>
          It was last used <Time at={data.last_used_at} />.
        </>
      )}
    </span>
  );
}
