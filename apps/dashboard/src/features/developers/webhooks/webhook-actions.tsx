'use client';
import { ApiError, type Webhook } from '@trading-automation/sdk';
import { Ellipsis, KeyRound, Pencil, Power, Send, Trash2 } from 'lucide-react';
import Link from 'next/link';
import { type ReactNode, useState } from 'react';
import { api } from '../../../data/api';
import { Button, IconButton } from '../../../ui/button';
import { FormError } from '../../../ui/form-error';
import { Menu } from '../../../ui/menu';
import { MenuItem, MenuSeparator } from '../../../ui/menu-items';
/** What can be done with a webhook. `onOpen` opens a dialog, `onResult` shows what an action has done. */ import { withTimeLimit } from './failure-words.rules';
import { useReloadWebhook } from './use-reload-webhook';
import type { WebhookAction } from './webhook-dialogs';

export function WebhookActions({
  webhook,
  onOpen,
  onResult,
}: {
  readonly webhook: Webhook;
  readonly onOpen: (action: WebhookAction) => void;
  readonly onResult: (result: ReactNode) => void;
}) {
  const { id } = webhook;
  const [isTesting, setTesting] = useState(false);
  const reload = useReloadWebhook();
  const test = async () => {
    setTesting(true);
    onResult(undefined);
    try {
      onResult(<TestResult webhookId={id} delivery={await api().webhooks.test(id, { maxRetries: 0 })} />);
      void reload();
    } catch (error) {
      onResult(<TestFailure error={error} />);
    } finally {
      setTesting(false);
    }
  };
  return (
    <>
      <Button
        variant="primary"
        isBusy={isTesting}
        icon={<Send aria-hidden className="size-4" />}
        onClick={() => void test()}
      >
        Send test event
      </Button>
      <Menu
        align="end"
        trigger={
          <IconButton
            variant="secondary"
            label="More actions"
            icon={<Ellipsis aria-hidden className="size-4" />}
          />
        }
      >
        <MenuItem icon={<Pencil aria-hidden className="size-4" />} onSelect={() => onOpen('edit')}>
          Edit webhook
        </MenuItem>
        <MenuItem icon={<KeyRound aria-hidden className="size-4" />} onSelect={() => onOpen('rotate')}>
          Rotate secret
        </MenuItem>
        {webhook.is_active && (
          <MenuItem icon={<Power aria-hidden className="size-4" />} onSelect={() => onOpen('deactivate')}>
            Deactivate
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem isDanger icon={<Trash2 aria-hidden className="size-4" />} onSelect={() => onOpen('delete')}>
          Delete webhook
        </MenuItem>
      </Menu>
    </>
  );
}

type Delivery = Awaited<ReturnType<ReturnType<typeof api>['webhooks']['test']>>;

function TestResult({ webhookId, delivery }: { readonly webhookId: string; readonly delivery: Delivery }) {
  const isDelivered = delivery.status === 'SUCCEEDED';
  return (
    <div
      className={`rounded-card border px-3 py-2 text-sm ${
        isDelivered ? 'border-gain-line bg-gain-soft' : 'border-loss-line bg-loss-soft'
      }`}
    >
      <p>
        <span className="font-medium">
          {isDelivered ? 'The test event was delivered' : 'The test event was not delivered'}
          {delivery.status_code !== undefined && `: status ${delivery.status_code}`} in{' '}
          {delivery.response_time_ms}
          {'\u2009ms'}.
        </span>{' '}
        {delivery.error_message !== undefined && withTimeLimit(delivery.error_message)}{' '}
        <Link
          href={`/developers/webhooks/${webhookId}/events/${delivery.event_id}?attempt=${delivery.id}`}
          scroll={false}
          className="text-accent-text underline"
        >
          Show request and response
        </Link>
      </p>
    </div>
  );
}

function TestFailure({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiError) || error.status !== 429) return <FormError error={error} />;
  const seconds = Math.ceil((error.retryAfterMs ?? 10_000) / 1000);
  return (
    <p className="rounded-card border border-warn-line bg-warn-soft px-3 py-2 text-sm">
      At most 6 test events are sent a minute. Try again in {seconds}
      {'\u2009s'}.
    </p>
  );
}
