import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { SignIn } from '../../features/sign-in/sign-in';
import { dashboardRuntime, publicRestUrl } from '../../process/runtime';
import { safeReturnPath } from '../../server/return-path';
import { openCookies, type Session } from '../../server/session';

export const metadata: Metadata = { title: 'Sign in' };

export default async function SignInPage({
  searchParams,
}: {
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const { reason, return: wanted } = await searchParams;
  const returnPath = safeReturnPath(wanted);
  const session = await openCookies<Session>((await headers()).get('cookie'), 'session');
  // With a reason, the API has just ended the session of this cookie.
  if (session !== undefined && reason === undefined) redirect(returnPath);
  const { WORLD, DEMO_API_KEY, OPEN_REGISTRATION } = dashboardRuntime().config;
  return (
    <SignIn
      world={WORLD}
      hasDemo={DEMO_API_KEY !== undefined}
      hasRegistration={OPEN_REGISTRATION}
      restUrl={publicRestUrl()}
      returnPath={returnPath}
      reason={typeof reason === 'string' ? reason : undefined}
    />
  );
}
