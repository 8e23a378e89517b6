'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { Webhook, WebhookWithSecret } from '@trading-automation/sdk';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { api } from '../../../data/api';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { Dialog } from '../../../ui/dialog';
import { SecretDialog } from '../shared/secret-dialog';
import { useReloadWebhook } from './use-reload-webhook';
import { VerificationSample } from './verification-sample';
import { WebhookForm, type WebhookValues } from './webhook-form';

export type WebhookAction = 'edit' | 'verify' | 'rotate' | 'deactivate' | 'delete';

export interface WebhookDialogsProps {
  readonly webhook: Webhook;
  readonly open: WebhookAction | undefined;
  readonly onClose: () => void;
  /** Called after the settings have changed. */
  readonly onSaved: () => void;
}

/** The form and the questions of the actions of a webhook. */
export function WebhookDialogs({ webhook, open, onClose, onSaved }: WebhookDialogsProps) {
  const { id, url } = webhook;
  const router = useRouter();
  const queries = useQueryClient();
  const [rotated, setRotated] = useState<WebhookWithSecret>();
  const reload = useReloadWebhook();
  const update = async (body: Partial<WebhookValues> & { is_active?: boolean }) => {
    await api().webhooks.update(id, body);
    await reload();
  };
  return (
    <>
      {open === 'edit' && (
        <WebhookForm
          isOpen
          onClose={onClose}
          title="Edit the webhook"
          action="Save changes"
          initial={{ url, events: webhook.events, description: webhook.description }}
          onSave={async (values) => {
            await update(values);
            onSaved();
          }}
        />
      )}
      <Dialog
        isOpen={open === 'verify'}
        onClose={onClose}
        title="Verify signatures"
        description="The code reads the signing secret from the variable SVC_WEBHOOK_SECRET. If the secret is lost, rotate it to get a new one."
      >
        <VerificationSample />
      </Dialog>
      <ConfirmDialog
        isOpen={open === 'rotate'}
        onClose={onClose}
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
        onClose={onClose}
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
        onClose={onClose}
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
