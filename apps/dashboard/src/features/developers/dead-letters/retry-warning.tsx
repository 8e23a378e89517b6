'use client';
import type { Webhook } from '@trading-automation/sdk';
import Link from 'next/link';
import { DEACTIVATION_RULE } from '../webhooks/deactivation.rules';

/** What failures of a retry cause, and why the retry would probably fail. */
export function RetryWarning({ webhook }: { readonly webhook: Webhook | undefined }) {
  return (
    <>
      <p className="pt-3 text-muted text-sm">Failed attempts of a retry count. {DEACTIVATION_RULE}</p>
      {webhook !== undefined && <Reason webhook={webhook} />}
    </>
  );
}

function Reason({ webhook }: { readonly webhook: Webhook }) {
  const { id, is_active: isActive, consecutive_failures: failures } = webhook;
  if (isActive && failures === 0) return null;
  const attempts = failures === 1 ? 'The last attempt' : `The last ${failures} attempts`;
  return (
    <p className="mt-3 rounded-card border border-warn-line bg-warn-soft px-3 py-2 text-sm text-text">
      {isActive ? (
        `${attempts} of this webhook failed. Check its receiver before you retry.`
      ) : (
        <>
          The webhook is deactivated, so the retry is refused.{' '}
          <WebhookLink id={id}>Activate it first</WebhookLink>.
        </>
      )}
    </p>
  );
}

export function WebhookLink({ id, children }: { readonly id: string; readonly children: string }) {
  return (
    <Link href={`/developers/webhooks/${id}`} className="text-accent-text underline">
      {children}
    </Link>
  );
}
