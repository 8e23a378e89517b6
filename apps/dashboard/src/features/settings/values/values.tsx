'use client';
import type { Setting } from '@trading-automation/sdk';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../../data/api';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import type { Column } from '../../../ui/data-table/columns';
import { DataTable } from '../../../ui/data-table/data-table';
import { onDemand } from '../../../ui/on-demand';
import { EmptyState } from '../../../ui/states';
import { Time } from '../../../ui/values';
import { DeleteValue } from './delete-value';

const ValueDialog = onDemand(() => import('./value-dialog').then((module) => module.ValueDialog));
const KEY = ['settings', 'list'];
const SORTING = { sort: 'key', order: 'asc' } as const;
const read = (...[query, options]: Parameters<ReturnType<typeof api>['settings']['list']>) =>
  api().settings.list(query, options);
const keyOf = ({ key }: Setting) => key;
type Edited = Setting | 'new';

/** The settings of the account as the API stores them: keys with JSON values. */
export function StoredValues() {
  const [edited, setEdited] = useState<Edited>();
  const columns = useMemo(() => columnsWith(setEdited), []);
  const add = (
    <Button variant="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setEdited('new')}>
      Add value
    </Button>
  );
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 pb-4">
        <p className="max-w-3xl text-muted text-sm">
          Programs of yours can store small JSON values in the account, such as the theme of an application,
          and read them on every machine. Here you see and correct them. The product itself uses two:{' '}
          <code>notifications</code> has your notification preferences, and <code>dashboard.onboarding</code>{' '}
          says whether the overview shows the first steps. It ignores all others.
        </p>
        {add}
      </div>
      <DataTable
        label="Stored values"
        queryKey={KEY}
        read={read}
        columns={columns}
        rowKey={keyOf}
        sorting={SORTING}
        empty={
          <EmptyState
            title="No value is stored yet."
            hint="A value is any JSON of at most 16 KiB."
            action={add}
          />
        }
      />
      {edited !== undefined && (
        <ValueDialog
          {...(edited === 'new' ? {} : { setting: edited })}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

function columnsWith(onEdit: (setting: Setting) => void): readonly Column<Setting>[] {
  return [
    {
      id: 'key',
      header: 'Key',
      sort: 'key',
      cell: ({ key, is_default }) => (
        <span className="inline-flex items-center gap-2">
          <code className="font-mono text-xs">{key}</code>
          {is_default && <Badge>Default</Badge>}
        </span>
      ),
      csv: ({ key }) => key,
    },
    {
      id: 'value',
      header: 'Value',
      from: 'md',
      cell: ({ value }) => {
        const text = JSON.stringify(value);
        return (
          <code className="block max-w-[36vw] truncate font-mono text-xs" title={text}>
            {text}
          </code>
        );
      },
      csv: ({ value }) => JSON.stringify(value),
    },
    {
      id: 'updated_at',
      header: 'Changed',
      sort: 'updated_at',
      from: 'md',
      cell: ({ updated_at }) => <Time at={updated_at} />,
      csv: ({ updated_at }) => updated_at,
    },
    {
      id: 'is_default',
      header: 'Actions',
      isNumeric: true,
      cell: (setting) => (
        <span className="inline-flex gap-1">
          <Button className="h-7" aria-label={`Edit ${setting.key}`} onClick={() => onEdit(setting)}>
            Edit
          </Button>
          {!setting.is_default && <DeleteValue setting={setting} />}
        </span>
      ),
      csv: ({ is_default }) => is_default,
    },
  ];
}
