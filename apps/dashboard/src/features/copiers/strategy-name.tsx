'use client';
import Link from 'next/link';
import { LATE } from '../../data/query';
import { Missing } from '../../ui/values';
import { useStrategy } from './use-copier';

export interface StrategyNameProps {
  readonly id: string | undefined;
  /** The name follows after the page, as in a list whose names need a request each. */
  readonly isLate?: boolean;
}

/** The name of a strategy, own or public, with a link to its page. */
export function StrategyName({ id, isLate = false }: StrategyNameProps) {
  const { data, isError } = useStrategy(id, isLate ? LATE : undefined);
  if (id === undefined) return <Missing />;
  if (isError) return <span className="text-muted">Deleted or private strategy</span>;
  return (
    <Link href={`/strategies/${id}`} className="block max-w-56 truncate hover:underline">
      {data?.name ?? '…'}
    </Link>
  );
}
