'use client';
import { FailedPage, type FailedPageProps } from '../../features/failure/failed-page';

export default function SignedInError(props: FailedPageProps) {
  return <FailedPage {...props} />;
}
