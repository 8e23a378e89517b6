import type { ReactNode } from 'react';

/** What an action has done. */
export const ResultNotice = ({ children }: { readonly children: ReactNode }) => (
  <p className="rounded-card border border-gain-line bg-gain-soft px-3 py-2 text-sm">{children}</p>
);
