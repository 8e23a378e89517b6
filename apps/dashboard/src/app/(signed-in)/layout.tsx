import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { readingOf } from '../../format/reading';
import { dashboardRuntime } from '../../process/runtime';
import { openPageClient } from '../../server/page-client';
import { openCookies, type Session } from '../../server/session';
import { Providers } from '../../shell/providers';
import { Shell } from '../../shell/shell';

/** Pages of a session. The API decides about every request; this only leads a browser without a session to the sign-in. */
export default async function SignedInLayout({ children }: { readonly children: ReactNode }) {
  const requested = await headers();
  const session = await openCookies<Session>(requested.get('cookie'), 'session');
  if (session === undefined) redirect(signInPath(requested.get('x-page') ?? '/'));
  openPageClient(session, requested);
  const { WORLD } = dashboardRuntime().config;
  return (
    <Providers reading={readingOf(requested)} arrivedAt={Date.now()}>
      <Shell world={WORLD} userId={session.userId}>
        {children}
      </Shell>
    </Providers>
  );
}

const signInPath = (page: string) =>
  page === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ return: page })}`;
