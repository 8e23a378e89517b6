'use client';
import type { Webhook } from '@trading-automation/sdk';
import { type ReactNode, useState } from 'react';
import { api } from '../../../data/api';
import { useQueryClient } from '../../../data/query';
import { Button } from '../../../ui/button';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { Time } from '../../../ui/values';
import { DEACTIVATION_RULE } from './deactivation.rules';

const REASONS: Readonly<Record<string, string>> = {
  consecutive_failures: `${DEACTIVATION_RULE} Correct the receiver first.`,
  insecure_url: 'Its URL is not https, which the live world requires. Change the URL first.',
  user: 'It was deactivated by you.',
};

export interface DeactivatedNoticeProps {
  readonly webhook: Webhook;
  readonly mayActivate: boolean;
  /** For the controls that the deactivation disables. */
  readonly id?: string;
  /** What else the deactivation prevents. */
  readonly children?: ReactNode;
}

/** Says why a webhook is deactivated, and activates it. */
export function DeactivatedNotice({ webhook, mayActivate, id, children }: DeactivatedNoticeProps) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const activate = async () => {
    await api().webhooks.update(webhook.id, { is_active: true });
    await queries.invalidateQueries({ queryKey: ['webhooks'] });
  };
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-between gap-3 rounded-card border border-warn-line bg-warn-soft px-4 py-3 text-sm"
    >
      <div id={id} className="min-w-0 flex-1 basis-80">
        <p className="font-medium">
          This webhook has been deactivated <Time at={webhook.deactivated_at} />. No events are sent to it.
        </p>
        <p>{REASONS[webhook.deactivation_reason ?? ''] ?? 'The service deactivated it.'}</p>
        {children}
      </div>
      {mayActivate && <Button onClick={() => setAsking(true)}>Activate webhook</Button>}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Activate this webhook?"
        action="Activate webhook"
        onConfirm={activate}
      >
        New events are sent to {webhook.url} from now on, and the failure count starts at zero. Dead letters
        are not sent; retry them separately.
      </ConfirmDialog>
    </div>
  );
}
