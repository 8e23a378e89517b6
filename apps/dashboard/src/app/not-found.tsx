import type { Metadata } from 'next';
import Link from 'next/link';
import { Button } from '../ui/button';

export const metadata: Metadata = { title: 'Page not found' };

export default function NotFound() {
  return (
    <main className="mx-auto flex min-h-dvh max-w-lg flex-col items-start justify-center gap-3 px-4 pb-24">
      <p className="font-medium text-muted text-sm">404</p>
      <h1 className="font-semibold text-2xl">This page does not exist.</h1>
      <p className="text-muted text-sm">
        The address may be mistyped, or the page has moved. Your account is not affected.
      </p>
      <div className="flex flex-wrap gap-2 pt-1">
        <Button asChild variant="primary">
          <Link href="/">Go to the overview</Link>
        </Button>
        <Button asChild>
          <Link href="/status">Show the status</Link>
        </Button>
      </div>
    </main>
  );
}
