'use client';
import { ApiError } from '@trading-automation/sdk';
import { describeFailure } from '../../data/failures';
import { Copyable } from '../../ui/copyable';
import { FormError } from '../../ui/form-error';

/** Why a lot was not closed: a limit of the exchange in plain words, or any other failure. */
export function Refusal({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiError) || error.code !== 'exchange_rule_violated')
    return <FormError error={error} />;
  return (
    <div role="alert" className="rounded-card border border-loss-line bg-loss-soft px-3 py-2 text-sm">
      <p className="font-medium">The exchange does not accept this order. Nothing was traded.</p>
      {error.details.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
      {error.requestId !== undefined && (
        <p className="pt-1 text-xs">
          Request <Copyable text={error.requestId} />
        </p>
      )}
    </div>
  );
}

/** Returns why a lot was not closed, in one paragraph, and the id of the request. */
export function reasonOf(error: unknown): { readonly text: string; readonly requestId: string | undefined } {
  const { title, advice, requestId } = describeFailure(error);
  if (!(error instanceof ApiError) || error.code !== 'exchange_rule_violated')
    return { text: `${title} ${advice}`, requestId };
  const problems = error.details.flatMap(({ message }) => message ?? []);
  return { text: ['The exchange does not accept this order.', ...problems].join(' '), requestId };
}
