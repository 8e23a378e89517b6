'use client';
import Link from 'next/link';
import { LATE } from '../../data/query';
import { Missing } from '../../ui/values';
import { useStrategy } from './use-copier';

/** The name of a strategy, own or public, with a link to its page. It follows after the page, because it needs a request of its own. */
export function StrategyName({ id }: { readonly id: string | undefined }) {
  const { data, isError } = useStrategy(id, LATE);
  if (id === undefined) return <Missing />;
  if (isError) return <span className="text-muted">Deleted or private strategy</span>;
  return (
    <Link href={`/strategies/${id}`} className="block max-w-56 truncate hover:underline">
      {data?.name ?? '…'}
    </Link>
  );
}
