import type { ReactNode } from 'react';
import { Skeleton } from './skeleton';

export interface StatProps {
  readonly label: ReactNode;
  readonly value: ReactNode;
  /** What the figure compares with, or a second figure. */
  readonly note?: ReactNode;
  readonly isLoading?: boolean;
}

/** One figure with its name. */
export function Stat({ label, value, note, isLoading = false }: StatProps) {
  return (
    <div className="min-w-0">
      <p className="text-muted text-xs">{label}</p>
      {isLoading ? (
        <Skeleton className="mt-1 h-6 w-24" />
      ) : (
        <p className="font-medium text-lg sm:text-xl [&_[data-unit]]:text-base">{value}</p>
      )}
      {note !== undefined &&
        // A note that is known before the figure keeps its place.
        (isLoading ? (
          <Skeleton className="text-xs">{note}</Skeleton>
        ) : (
          <p className="text-muted text-xs">{note}</p>
        ))}
    </div>
  );
}

/** Figures side by side in one card. */
export function StatRow({ children }: { readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-2 gap-x-6 gap-y-4 rounded-card border bg-surface p-4 lg:grid-flow-col lg:auto-cols-fr lg:grid-cols-none">
      {children}
    </div>
  );
}
