import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';

/** Pages whose filters, tabs and steps are in their address. */
export default function ListsLayout({ children }: { readonly children: ReactNode }) {
  return <NuqsAdapter>{children}</NuqsAdapter>;
}
