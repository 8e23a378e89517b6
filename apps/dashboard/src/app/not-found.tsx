import type { Metadata } from 'next';
import { BrandMark } from '../ui/brand-mark';
import { PLAIN_PRIMARY, PLAIN_SECONDARY } from '../ui/plain-button';

export const metadata: Metadata = { title: 'Page not found' };

/** Every page contains the code of this one, so that its links are plain. */
export default function NotFound() {
  return (
    <main className="mx-auto flex min-h-dvh max-w-lg flex-col items-start justify-center gap-3 px-4 pb-24">
      <p className="flex items-center gap-2.5 pb-5 font-semibold text-base">
        <BrandMark />
        Trading automation
      </p>
      <p className="font-medium text-muted text-sm">404</p>
      <h1 className="font-semibold text-2xl">This page does not exist.</h1>
      <p className="text-muted text-sm">
        The address may be mistyped, or the page has moved. Your account is not affected.
      </p>
      <div className="flex flex-wrap gap-2 pt-1">
        <a href="/" className={PLAIN_PRIMARY}>
          Go to the overview
        </a>
        <a href="/status" className={PLAIN_SECONDARY}>
          Show the status
        </a>
      </div>
    </main>
  );
}
