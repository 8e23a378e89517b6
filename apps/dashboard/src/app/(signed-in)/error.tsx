'use client';
import { useQueryClient } from '@tanstack/react-query';
import { isMissingCode } from '../../data/late-code';
import type { FailedPageProps } from '../../features/failure/failed-page';
import { MissingPage } from '../../features/failure/missing-page';
import { onDemand } from '../../ui/on-demand';

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
  // If the code of the page is missing, that of the failure page may be, too.
  return isMissingCode(error) ? <MissingPage /> : <FailedPage error={error} reset={retry} />;
}
