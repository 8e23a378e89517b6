'use client';
import Link from 'next/link';
import { baseOf, quoteOf } from '../../format/money';
import { Amount } from '../../ui/values';
import type { CloseEstimate } from './close.rules';

export interface ProblemNoticeProps {
  readonly estimate: CloseEstimate;
  readonly symbol: string;
  readonly onChoose: (percent: string) => void;
}

/** Says that the exchange does not accept so small an order, and which share it accepts. */
export function ProblemNotice({ estimate, symbol, onChoose }: ProblemNoticeProps) {
  const { problem, amount, value } = estimate;
  if (problem === undefined) return null;
  const isValue = problem.limit === 'min_notional';
  const asset = isValue ? quoteOf(symbol) : baseOf(symbol);
  const { smallestPercent } = problem;
  return (
    <div role="status" className="rounded-card border border-warn-line bg-warn-soft px-3 py-2 text-sm">
      <p className="font-medium">
        The exchange accepts orders of at least <Amount value={problem.minimum} asset={asset} />.
      </p>
      <p>
        This share is {isValue ? 'worth about ' : ''}
        {isValue ? (
          <Amount value={value} asset={asset} digits={2} />
        ) : (
          <Amount value={amount} asset={asset} />
        )}
        .{' '}
        {smallestPercent === undefined ? (
          <>
            The whole lot is too small to be sold alone.{' '}
            <Link href="/trades/new" className="underline">
              Place an order
            </Link>{' '}
            that sells it with other holdings.
          </>
        ) : (
          <button type="button" className="underline" onClick={() => onChoose(`${smallestPercent}`)}>
            Close {smallestPercent} % instead
          </button>
        )}
      </p>
    </div>
  );
}
