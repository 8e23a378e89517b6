'use client';
import { api } from '../../data/api';
import type { OpenOrder } from '../../data/open-orders';
import { useQueryClient } from '../../data/query';
import { baseOf } from '../../format/money';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { Amount } from '../../ui/values';

export interface CancelOrderProps {
  readonly trade: OpenOrder;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks before an order is cancelled. */
export function CancelOrder({ trade, isOpen, onClose }: CancelOrderProps) {
  const queries = useQueryClient();
  const cancel = async () => {
    await api().trades.cancel(trade.id);
    await queries.invalidateQueries({ queryKey: ['trades'] });
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Cancel this order?"
      action="Cancel order"
      keep="Keep order"
      isDanger
      onConfirm={cancel}
    >
      The rest of <Amount value={trade.remaining_amount} asset={baseOf(trade.symbol)} /> is not traded. What
      is filled stays as it is.
    </ConfirmDialog>
  );
}
