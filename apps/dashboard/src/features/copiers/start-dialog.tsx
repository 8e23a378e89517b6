'use client';
/** Starts a copier: from when it copies, what it does about a pause, and which terms the start accepts. */
import { useQueryClient } from '@tanstack/react-query';
import type { CopierStart } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../data/api';
import { baseOf } from '../../data/symbols';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { Checkbox } from '../../ui/field';
import { ProfitShareTerms } from '../../ui/profit-share';
import { Amount } from '../../ui/values';
import { type CopierRow, useStrategy } from './use-copier';

export function StartCopier({
  copier,
  onClose,
}: {
  readonly copier: CopierRow;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const strategy = useStrategy(copier.strategy_id);
  const [copiesExisting, setExisting] = useState(copier.copy_existing);
  const [isResyncing, setResyncing] = useState(false);
  const { drift } = copier;
  const start = async () => {
    const body: CopierStart = {
      copy_existing: copiesExisting,
      ...(isResyncing ? { resync: 'EXITS' as const } : {}),
    };
    await api().copiers.start(copier.id, body);
    await queries.invalidateQueries({ queryKey: ['copiers'] });
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Start ${copier.name}?`}
      action="Start copier"
      onConfirm={start}
    >
      <div className="flex flex-col gap-3">
        <p>
          It copies what {strategy.data?.name ?? 'the strategy'} opens from now on, within your limits.
          Entries are limit orders, exits are market orders.
        </p>
        {copier.profit_share === undefined && (
          <p>
            The start accepts the profit share of the strategy and freezes it:{' '}
            <strong className="font-semibold text-text">
              <ProfitShareTerms terms={strategy.data?.profit_share} />
            </strong>
            . A raise needs your consent later.
          </p>
        )}
        <div className="text-text">
          <Checkbox
            label="Also copy what the strategy holds now"
            hint="Buys at the current price, within the slippage limit. Lots that the copier has ever ordered are left out."
            checked={copiesExisting}
            onChange={(event) => setExisting(event.target.checked)}
          />
        </div>
        {drift.length > 0 && (
          <div className="text-text">
            <Checkbox
              label="Sell what the strategy sold during the pause"
              hint="Market orders for the amounts below. Otherwise they stay open."
              checked={isResyncing}
              onChange={(event) => setResyncing(event.target.checked)}
            />
            <ul className="pt-1 pl-6.5 text-xs">
              {drift.map(({ source_trade_id: id, symbol, excess_amount, held_amount }) => (
                <li key={id}>
                  <Amount value={excess_amount} asset={baseOf(symbol)} /> of{' '}
                  <Amount value={held_amount} asset={baseOf(symbol)} /> held
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </ConfirmDialog>
  );
}
