'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { Webhook, WebhookWithSecret } from '@trading-automation/sdk';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../data/api';
import { useMay } from '../../../data/me';
import { Button } from '../../../ui/button';
import type { Column } from '../../../ui/data-table/columns';
import { DataTable } from '../../../ui/data-table/data-table';
import { onDemand } from '../../../ui/on-demand';
import { PageHeader } from '../../../ui/page-header';
import { EmptyState } from '../../../ui/states';
import { Time } from '../../../ui/values';
import { selectorText } from '../shared/event-selectors.rules';
import { SecretDialog } from '../shared/secret-dialog';
import { useNew } from '../shared/use-new';
import { WebhookTabs } from '../shared/webhook-tabs';
import { StatsCell, WebhookState } from './parts';
import { VerificationSample } from './verification-sample';
import type { WebhookValues } from './webhook-form';

/** The form and its schema are loaded when they are needed. */
const WebhookForm = onDemand(() => import('./webhook-form').then((module) => module.WebhookForm));

const KEY = ['webhooks', 'list'];
const read = (...[query, options]: Parameters<ReturnType<typeof api>['webhooks']['list']>) =>
  api().webhooks.list(query, options);
const keyOf = ({ id }: Webhook) => id;
const hrefOf = ({ id }: Webhook) => `/developers/webhooks/${id}`;

const COLUMNS: readonly Column<Webhook>[] = [
  {
    id: 'url',
    header: 'URL',
    cell: ({ url, description }) => (
      <span className="block max-w-[42vw] min-w-0 md:max-w-96">
        <span className="block truncate font-medium" title={url}>
          {url}
        </span>
        {description !== '' && <span className="block truncate text-muted text-xs">{description}</span>}
      </span>
    ),
    csv: ({ url }) => url,
  },
  {
    id: 'state',
    header: 'Status',
    cell: (webhook) => <WebhookState webhook={webhook} />,
    csv: ({ is_active }) => is_active,
  },
  {
    id: 'events',
    header: 'Events',
    from: 'md',
    cell: ({ events }) => (
      <code className="font-mono text-xs" title={events.join(', ')}>
        {selectorText(events)}
      </code>
    ),
    csv: ({ events }) => events.join(' '),
  },
  {
    id: 'success_rate',
    header: 'Success, 24 h',
    isNumeric: true,
    from: 'md',
    cell: ({ id }) => <StatsCell id={id} figure="rate" />,
    csv: () => undefined,
  },
  {
    id: 'p95',
    header: 'Response p95, 24 h',
    isNumeric: true,
    from: 'md',
    cell: ({ id }) => <StatsCell id={id} figure="p95" />,
    csv: () => undefined,
  },
  {
    id: 'created_at',
    header: 'Created',
    sort: 'created_at',
    from: 'xl',
    cell: ({ created_at }) => <Time at={created_at} />,
    csv: ({ created_at }) => created_at,
  },
];

export function Webhooks() {
  const queries = useQueryClient();
  const mayCreate = useMay('ADMIN') === true;
  const [isCreating, setCreating] = useNew();
  const [created, setCreated] = useState<WebhookWithSecret>();
  const create = async (values: WebhookValues, idempotencyKey: string) => {
    setCreated(await api().webhooks.create({ ...values, url: values.url.trim() }, { idempotencyKey }));
    await queries.invalidateQueries({ queryKey: ['webhooks'] });
  };
  const button = mayCreate && (
    <Button
      variant="primary"
      icon={<Plus aria-hidden className="size-4" />}
      onClick={() => setCreating(true)}
    >
      Add webhook
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Events of the account are sent to your servers, signed and at least once."
        actions={button}
      />
      <WebhookTabs />
      <DataTable
        label="Webhooks"
        queryKey={KEY}
        read={read}
        columns={COLUMNS}
        rowKey={keyOf}
        rowHref={hrefOf}
        empty={
          <EmptyState
            title="No webhook exists yet."
            hint="Add one to receive trades, copies and withdrawals as they happen."
            action={button}
          />
        }
      />
      {mayCreate && isCreating && (
        <WebhookForm
          isOpen
          onClose={() => setCreating(false)}
          title="Add a webhook"
          action="Add webhook"
          onSave={create}
        />
      )}
      <SecretDialog
        title="Signing secret"
        name="secret"
        secret={created?.secret}
        onClose={() => setCreated(undefined)}
      >
        <VerificationSample />
      </SecretDialog>
    </>
  );
}
