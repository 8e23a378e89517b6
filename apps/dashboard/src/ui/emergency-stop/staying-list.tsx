'use client';
import { byId, useAccounts } from '../../data/names';
import { baseOf } from '../../format/money';
import { Amount } from '../values';
import type { Staying, StayReason } from './closing-plan.rules';

const SHOWN_MAX = 4;
const REASONS: Readonly<Record<StayReason, string>> = {
  UNSUPPORTED: 'the product only lists positions of this kind',
  ACCOUNT: 'the account is not active',
  MARKET: 'the exchange does not trade the market at the moment',
  SIZE: 'the exchange limits the size of an order',
};

/** The positions that an emergency stop leaves open, each with the reason. */
export function StayingList({ staying }: { readonly staying: readonly Staying[] }) {
  const accounts = useAccounts();
  return (
    <ul className="flex list-disc flex-col gap-1 pl-4">
      {staying.slice(0, SHOWN_MAX).map(({ position, amount, reason }) => (
        <li key={position.id}>
          {position.symbol} {position.side === 'LONG' ? 'long' : 'short'},{' '}
          <Amount value={amount} asset={baseOf(position.symbol)} /> on{' '}
          {byId(accounts.data, position.exchange_account_id)?.account_name ?? 'a removed account'}:{' '}
          {REASONS[reason]}
        </li>
      ))}
      {staying.length > SHOWN_MAX && <li>and {staying.length - SHOWN_MAX} more</li>}
    </ul>
  );
}
