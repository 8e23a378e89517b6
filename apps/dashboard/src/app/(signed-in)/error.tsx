'use client';
import { useQueryClient } from '@tanstack/react-query';
import { FailedPage, type FailedPageProps } from '../../features/failure/failed-page';

export default function SignedInError({ error, reset }: FailedPageProps) {
  const queries = useQueryClient();
  const retry = () => {
    // What the failed page had loaded may be why it failed.
    queries.removeQueries({ type: 'inactive' });
    reset();
  };
  return <FailedPage error={error} reset={retry} />;
}
