'use client';
import { byId, useAccounts } from '../../data/names';
import { usePairsById } from '../../data/pairs';
import { Card } from '../../ui/card';
import { Copyable } from '../../ui/copyable';
import { Detail, Details } from '../../ui/details';
import { Time } from '../../ui/values';
import { isOwn, type StrategyRow } from './figures';

const SHOWN_MAX = 20;

/** What the strategy trades, and for its owner where. */
export function ConfigurationCard({ strategy }: { readonly strategy: StrategyRow }) {
  const accounts = useAccounts();
  const { trade_pair_ids: ids } = strategy;
  const pairs = usePairsById(ids?.slice(0, SHOWN_MAX) ?? []);
  const account = byId(accounts.data, strategy.exchange_account_id);
  return (
    <Card title="Configuration">
      <Details>
        {isOwn(strategy) && <Detail name="Account">{account?.account_name ?? '…'}</Detail>}
        <Detail name="Pairs">
          {ids === undefined
            ? 'Any pair of its exchange'
            : listed(ids, (id) => byId(pairs.data, id)?.symbol ?? '…')}
        </Detail>
        <Detail name="Created">
          <Time at={strategy.created_at} />
        </Detail>
        <Detail name="Changed">
          <Time at={strategy.updated_at} />
        </Detail>
        <Detail name="Strategy">
          <Copyable text={strategy.id} isShort />
        </Detail>
      </Details>
    </Card>
  );
}

function listed(ids: readonly string[], nameOf: (id: string) => string): string {
  const names = ids.slice(0, SHOWN_MAX).map(nameOf).join(', ');
  return ids.length > SHOWN_MAX ? `${names} and ${ids.length - SHOWN_MAX} more` : names;
}
