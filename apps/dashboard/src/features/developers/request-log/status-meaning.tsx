'use client';
import type { LoggedRequest } from '@trading-automation/sdk';
import Link from 'next/link';
import { useOpenApi } from '../../../data/openapi';
import { Skeleton } from '../../../ui/skeleton';
import { ErrorState } from '../../../ui/states';
import { errorsOf, type OpenApi, operationOfRoute } from '../reference/openapi.rules';

/** What the status of a request means, as far as the log knows it. */
export function StatusMeaning({ request }: { readonly request: LoggedRequest }) {
  const { status, route } = request;
  if (status >= 400) return <PossibleErrors request={request} />;
  if (status < 200 || status >= 300) return null;
  return (
    <p className="text-muted text-sm">
      {route === '/graphql'
        ? 'A GraphQL request that was executed has the status 200. Its response can still contain errors.'
        : 'The request succeeded.'}
    </p>
  );
}

function PossibleErrors({ request: { status, method, route } }: { readonly request: LoggedRequest }) {
  const document = useOpenApi<OpenApi>();
  const { data } = document;
  if (data === undefined)
    return document.isError ? (
      <ErrorState error={document.error} onRetry={() => void document.refetch()} />
    ) : (
      <Skeleton className="h-24" />
    );
  const operation = operationOfRoute(data, method, route);
  const ofOperation = operation === undefined ? [] : errorsOf(data, operation);
  const listed = ofOperation.filter((error) => error.status === status);
  const errors =
    listed.length > 0 ? listed : data['x-error-codes'].filter((error) => error.status === status);
  return (
    <section className="flex flex-col gap-2 text-sm">
      <h3 className="font-semibold">Error codes with the status {status}</h3>
      <p className="text-muted">
        The log stores the status of a response, but not its error code.{' '}
        {errors.length === 0
          ? 'The reference lists no code with this status.'
          : 'The reference lists these codes with this status:'}
      </p>
      <ul>
        {errors.map(({ code, meaning, resolution }) => (
          <li key={code} className="border-t py-2 first:border-t-0">
            <code className="font-medium font-mono text-xs">{code}</code>
            <p className="pt-0.5 text-muted">{`${meaning} ${resolution}`}</p>
          </li>
        ))}
      </ul>
      {operation !== undefined && (
        <Link
          href={`/developers/reference?operation=${operation.operationId}`}
          className="self-start text-accent-text underline"
        >
          Show this operation in the reference
        </Link>
      )}
    </section>
  );
}
