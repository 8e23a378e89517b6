import type { ReactNode } from 'react';

/** Names and values of a record, one a line. */
export function Details({ children }: { readonly children: ReactNode }) {
  return <dl className="flex flex-col text-sm">{children}</dl>;
}

export function Detail({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="flex min-h-9 items-center justify-between gap-4 border-t py-1.5 first:border-t-0">
      <dt className="shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 text-right">{children}</dd>
    </div>
  );
}
