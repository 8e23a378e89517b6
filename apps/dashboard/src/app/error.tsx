'use client';
import dynamic from 'next/dynamic';
import type { FailedPageProps } from '../features/failure/failed-page';

const FailedPage = dynamic(() =>
  import('../features/failure/failed-page').then((module) => module.FailedPage),
);

export default function RootError(props: FailedPageProps) {
  return (
    <main className="px-4">
      <FailedPage {...props} />
    </main>
  );
}
