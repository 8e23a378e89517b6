'use client';
import { ApiError } from '@trading-automation/sdk';
import { api } from '../../../data/api';
import { useQuery } from '../../../data/query';
import { CodeBlock } from '../../../ui/code-block';
import { Skeleton } from '../../../ui/skeleton';
import { ErrorState } from '../../../ui/states';
import { indentJson, memberText } from './raw-json.rules';

/** The JSON of this media type has decimals as numbers, as receivers get them. */
const AS_SENT = { accept: 'application/json' };

/** The body of an event as it was sent to webhooks. */
export function EventPayload({ eventId }: { readonly eventId: string }) {
  const payload = useQuery({
    queryKey: ['events', 'payload', eventId],
    queryFn: async ({ signal }) => {
      const response = await api().events.get(eventId, { signal, headers: AS_SENT }).asResponse();
      return memberText(await response.text(), ['data']) ?? '';
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (payload.isPending) return <Skeleton className="h-40 w-full" />;
  if (payload.isError)
    return payload.error instanceof ApiError && payload.error.status === 404 ? (
      <p className="text-muted text-sm">The body is not stored any more. Events are kept for 30 days.</p>
    ) : (
      <ErrorState error={payload.error} onRetry={() => void payload.refetch()} />
    );
  return <Payload json={payload.data} />;
}

export const Payload = ({ json }: { readonly json: string }) => (
  <CodeBlock label="Request body" title="application/json" code={indentJson(json)} className="max-h-120" />
);
