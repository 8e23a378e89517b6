'use client';
import { ApiError } from '@trading-automation/sdk';
import { FormError } from '../../ui/form-error';
import { type CredentialedExchange, rejectionAdvice } from './credentials.rules';

/** The failure of a request with credentials of an exchange. */
export function CredentialsError({
  error,
  exchange,
}: {
  readonly error: unknown;
  readonly exchange: CredentialedExchange | undefined;
}) {
  if (!(error instanceof ApiError) || error.code !== 'exchange_credentials_rejected')
    return <FormError error={error} />;
  return (
    <div role="alert" className="rounded-card border border-loss-line bg-loss-soft px-3 py-2 text-sm">
      <p className="font-medium">The exchange rejected the credentials.</p>
      <p>{rejectionAdvice(exchange)}</p>
      {error.requestId !== undefined && <p className="pt-1 font-mono text-xs">{error.requestId}</p>}
    </div>
  );
}
