'use client';
import { byId, useAccounts, usePairs } from '../../data/names';
import { Card } from '../../ui/card';
import { Copyable } from '../../ui/copyable';
import { Detail, Details } from '../../ui/details';
import { Time } from '../../ui/values';
import { isOwn, type StrategyRow } from './figures';

/** What the strategy trades, and for its owner where. */
export function ConfigurationCard({ strategy }: { readonly strategy: StrategyRow }) {
  const accounts = useAccounts();
  const pairs = usePairs();
  const { trade_pair_ids: ids } = strategy;
  const account = byId(accounts.data, strategy.exchange_account_id);
  return (
    <Card title="Configuration">
      <Details>
        {isOwn(strategy) && <Detail name="Account">{account?.account_name ?? '…'}</Detail>}
        <Detail name="Pairs">
          {ids === undefined
            ? 'Any pair of its exchange'
            : ids.map((id) => byId(pairs.data, id)?.symbol ?? '…').join(', ')}
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
