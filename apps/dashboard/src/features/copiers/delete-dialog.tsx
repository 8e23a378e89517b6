'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { api } from '../../data/api';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { HeldPositions } from './holdings';
import { type CopierRow, useHoldings } from './use-copier';

export function DeleteCopier({
  copier,
  onClose,
}: {
  readonly copier: CopierRow;
  readonly onClose: () => void;
}) {
  const router = useRouter();
  const queries = useQueryClient();
  const holdings = useHoldings(copier.id);
  const remove = async () => {
    await api().copiers.delete(copier.id);
    router.push('/copiers');
    await queries.invalidateQueries({ queryKey: ['copiers'] });
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${copier.name}?`}
      action="Delete copier"
      isDanger
      onConfirm={remove}
    >
      This cannot be undone. Its trades and decisions remain readable, and the mark of its profit share is
      kept.{' '}
      {holdings.data !== undefined && holdings.data.positions > 0 && (
        <>
          <strong className="font-semibold text-text">
            <HeldPositions holdings={holdings.data} />
          </strong>{' '}
          {holdings.data.positions === 1 ? 'stays' : 'stay'} open on the account, and nothing closes them
          automatically.
        </>
      )}
    </ConfirmDialog>
  );
}
