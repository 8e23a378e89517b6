'use client';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, type Webhook, type WebhookWithSecret } from '@trading-automation/sdk';
import { Ellipsis, KeyRound, Pencil, Power, Send, Trash2 } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import { api } from '../../../data/api';
import { Button, IconButton } from '../../../ui/button';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { FormError } from '../../../ui/form-error';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu';
import { onDemand } from '../../../ui/on-demand';
import { SecretDialog } from '../shared/secret-dialog';
import { VerificationSample } from './verification-sample';
import type { WebhookValues } from './webhook-form';

const WebhookForm = onDemand(() => import('./webhook-form').then((module) => module.WebhookForm));

type Open = 'edit' | 'rotate' | 'deactivate' | 'delete';

/** What can be done with a webhook. `onResult` shows what an action has done. */
export function WebhookActions({
  webhook,
  onResult,
}: {
  readonly webhook: Webhook;
  readonly onResult: (result: ReactNode) => void;
}) {
  const { id, url } = webhook;
  const router = useRouter();
  const queries = useQueryClient();
  const [open, setOpen] = useState<Open>();
  const [isTesting, setTesting] = useState(false);
  const [rotated, setRotated] = useState<WebhookWithSecret>();
  const close = () => setOpen(undefined);
  const reload = () =>
    Promise.all(
      ['webhooks', 'deliveries', 'dead-letters'].map((kind) =>
        queries.invalidateQueries({ queryKey: [kind] }),
      ),
    );
  const update = async (body: Partial<WebhookValues> & { is_active?: boolean }) => {
    await api().webhooks.update(id, body);
    await reload();
  };
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
        <MenuItem icon={<Pencil aria-hidden className="size-4" />} onSelect={() => setOpen('edit')}>
          Edit webhook
        </MenuItem>
        <MenuItem icon={<KeyRound aria-hidden className="size-4" />} onSelect={() => setOpen('rotate')}>
          Rotate secret
        </MenuItem>
        {webhook.is_active && (
          <MenuItem icon={<Power aria-hidden className="size-4" />} onSelect={() => setOpen('deactivate')}>
            Deactivate
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem
          isDanger
          icon={<Trash2 aria-hidden className="size-4" />}
          onSelect={() => setOpen('delete')}
        >
          Delete webhook
        </MenuItem>
      </Menu>
      {open === 'edit' && (
        <WebhookForm
          isOpen
          onClose={close}
          title="Edit the webhook"
          action="Save changes"
          initial={{ url, events: webhook.events, description: webhook.description }}
          onSave={update}
        />
      )}
      <ConfirmDialog
        isOpen={open === 'rotate'}
        onClose={close}
        title="Rotate the signing secret?"
        action="Rotate secret"
        isDanger
        onConfirm={async () => {
          setRotated(await api().webhooks.rotateSecret(id));
          void reload();
        }}
      >
        The old secret ends at once: every later attempt is signed with the new one alone, also of events that
        are pending. Until your receiver has the new secret, it refuses events, and they are retried for about
        twelve minutes.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === 'deactivate'}
        onClose={close}
        title="Deactivate this webhook?"
        action="Deactivate webhook"
        isDanger
        onConfirm={() => update({ is_active: false })}
      >
        Nothing more is sent to {url}. Pending deliveries become dead letters, which you can retry later.
        Events that happen meanwhile are not delivered.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === 'delete'}
        onClose={close}
        title="Delete this webhook?"
        action="Delete webhook"
        isDanger
        onConfirm={async () => {
          await api().webhooks.delete(id);
          router.push('/developers/webhooks');
          await queries.invalidateQueries({ queryKey: ['webhooks', 'list'] });
        }}
      >
        Nothing more is sent to {url}, and its deliveries and dead letters can no longer be read here. This
        cannot be undone.
      </ConfirmDialog>
      <SecretDialog
        title="New signing secret"
        name="secret"
        secret={rotated?.secret}
        onClose={() => setRotated(undefined)}
      >
        <VerificationSample />
      </SecretDialog>
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
        {delivery.error_message}{' '}
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
