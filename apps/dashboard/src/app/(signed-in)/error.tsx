'use client';
import { useQueryClient } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import type { FailedPageProps } from '../../features/failure/failed-page';

const FailedPage = dynamic(() =>
  import('../../features/failure/failed-page').then((module) => module.FailedPage),
);

export default function SignedInError({ error, reset }: FailedPageProps) {
  const queries = useQueryClient();
  const retry = () => {
    // What the failed page had loaded may be why it failed.
    queries.removeQueries({ type: 'inactive' });
    reset();
  };
  return <FailedPage error={error} reset={retry} />;
}
