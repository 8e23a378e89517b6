'use client';
import { FailedPage, type FailedPageProps } from '../features/failure/failed-page';
import './globals.css';

/** Replaces the whole document when even its frame failed. */
export default function GlobalError(props: FailedPageProps) {
  return (
    <html lang="en">
      <body>
        <title>Failure · Trading automation</title>
        <main className="px-4">
          <FailedPage {...props} />
        </main>
      </body>
    </html>
  );
}
