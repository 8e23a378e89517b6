'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { FailedPageProps } from '../../features/failure/failed-page';
import { onDemand } from '../../ui/on-demand';

// If it cannot be loaded either, the failure page of the whole document appears, which every page contains.
const FailedPage = onDemand(() =>
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
