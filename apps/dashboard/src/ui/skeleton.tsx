import type { ReactNode } from 'react';
import { classNames } from './class-names';

interface SkeletonProps {
  readonly className?: string;
  readonly children?: ReactNode;
}

/** The place of content that is loading. Give it the size of the content, or the content itself, which it hides. */
export function Skeleton({ className, children }: SkeletonProps) {
  return (
    <div aria-hidden className={classNames('animate-pulse rounded bg-selected', className)}>
      {children !== undefined && <div className="invisible">{children}</div>}
    </div>
  );
}

/** Placeholder of a table, with rows of the same height. */
export function TableSkeleton({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-11 items-center gap-6 border-t px-4">
          <Skeleton className="h-3 w-24" />
          <Skeleton className="h-3 w-32" />
          <Skeleton className="ml-auto h-3 w-20" />
          <Skeleton className="h-3 w-16" />
        </div>
      ))}
    </div>
  );
}
