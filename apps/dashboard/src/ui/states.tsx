/** What a view shows instead of its content: nothing yet, a failure, a missing permission. */
import { CircleAlert, Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { describeFailure } from '../data/failures';
import { Button } from './button';
import { Copyable } from './copyable';

function Notice({
  icon,
  title,
  children,
}: {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-start gap-3 px-4 py-8 sm:items-center sm:px-8 sm:py-12 sm:text-center">
      {icon}
      <p className="font-medium text-base">{title}</p>
      {children}
    </div>
  );
}

/** A list without items: one sentence, one action. */
export function EmptyState({
  title,
  hint,
  action,
}: {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <Notice title={title}>
      {hint !== undefined && <p className="max-w-md text-muted text-sm">{hint}</p>}
      {action}
    </Notice>
  );
}

/** What happened, what to do, and the id of the request for support. */
export function ErrorState({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { kind, title, advice, requestId } = describeFailure(error);
  const Icon = kind === 'permission' ? Lock : CircleAlert;
  return (
    <div role="alert">
      <Notice icon={<Icon aria-hidden className="size-5 text-muted" />} title={title}>
        <p className="max-w-md text-muted text-sm">{advice}</p>
        {kind !== 'permission' && <Button onClick={onRetry}>Try again</Button>}
        {requestId !== undefined && (
          <p className="text-muted text-xs">
            Request <Copyable text={requestId} />
          </p>
        )}
      </Notice>
    </div>
  );
}
