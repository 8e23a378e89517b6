'use client';
import { FailedPage, type FailedPageProps } from '../features/failure/failed-page';

export default function RootError(props: FailedPageProps) {
  return (
    <main className="px-4">
      <FailedPage {...props} />
    </main>
  );
}
