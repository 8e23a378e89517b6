'use client';
import type { Webhook } from '@trading-automation/sdk';

/** Why a retry would only fail again; nothing if the last attempt of the webhook succeeded. */
export function RetryWarning({ webhook }: { readonly webhook: Webhook | undefined }) {
  const reason = webhook && reasonAgainst(webhook);
  if (reason === undefined) return null;
  return (
    <p className="mt-3 rounded-card border border-warn-line bg-warn-soft px-3 py-2 text-sm text-text">
      {reason}
    </p>
  );
}

function reasonAgainst({ is_active, consecutive_failures: failures }: Webhook): string | undefined {
  if (!is_active) return 'The webhook is deactivated. Activate it first; otherwise the retry is refused.';
  if (failures === 0) return undefined;
  const attempts = failures === 1 ? 'The last attempt' : `The last ${failures} attempts`;
  return `${attempts} of this webhook failed. Check its receiver first; otherwise the retry may only fail again.`;
}
