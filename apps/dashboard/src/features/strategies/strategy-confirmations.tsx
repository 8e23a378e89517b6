'use client';
/** The consequences of an action for a strategy and its copiers. */
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { api } from '../../data/api';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import type { StrategyRow } from './figures';

export type StrategyAction = 'edit' | 'archive' | 'activate' | 'publish' | 'hide' | 'delete';

const copiersOf = (count: number) =>
  count === 0 ? 'No copier follows it.' : `${count} ${count === 1 ? 'copier follows' : 'copiers follow'} it.`;

export interface StrategyConfirmationsProps {
  readonly strategy: StrategyRow;
  readonly asked: StrategyAction | undefined;
  readonly onClose: () => void;
}

export function StrategyConfirmations({ strategy, asked, onClose }: StrategyConfirmationsProps) {
  const queries = useQueryClient();
  const router = useRouter();
  const { id, name, copier_count: count } = strategy;
  const update = async (changes: { status?: 'ACTIVE' | 'ARCHIVED'; visibility?: 'PUBLIC' | 'PRIVATE' }) => {
    await api().strategies.update(id, changes);
    await queries.invalidateQueries({ queryKey: ['strategies'] });
    await queries.invalidateQueries({ queryKey: ['copiers'] });
  };
  const remove = async () => {
    await api().strategies.delete(id, { stop_copiers: true });
    router.push('/strategies');
    await queries.invalidateQueries({ queryKey: ['strategies'] });
  };
  return (
    <>
      <ConfirmDialog
        isOpen={asked === 'archive'}
        onClose={onClose}
        title={`Archive ${name}?`}
        action="Archive strategy"
        isDanger
        onConfirm={() => update({ status: 'ARCHIVED' })}
      >
        It sends no more signals and takes no new trades. {copiersOf(count)} Active copiers are set to close
        only: they copy no new entries. Your open positions stay open. You can activate the strategy again,
        but copiers must then be started again by their users.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'activate'}
        onClose={onClose}
        title={`Activate ${name}?`}
        action="Activate strategy"
        onConfirm={() => update({ status: 'ACTIVE' })}
      >
        It takes trades and sends signals again. Copiers that were set to close only stay so until their users
        start them.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'publish'}
        onClose={onClose}
        title={`Make ${name} public?`}
        action="Make public"
        onConfirm={() => update({ visibility: 'PUBLIC' })}
      >
        Every user can see its returns, its record and its terms, and can copy it. Balances, amounts and the
        account stay hidden.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'hide'}
        onClose={onClose}
        title={`Make ${name} private?`}
        action="Make private"
        onConfirm={() => update({ visibility: 'PRIVATE' })}
      >
        {copiersOf(count)} No other user can start to copy it. If another user has ever copied it, it stays
        listed as archived, so that its results remain known.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={onClose}
        title={`Delete ${name}?`}
        action="Delete strategy"
        isDanger
        typed={name}
        onConfirm={remove}
      >
        This cannot be undone. {copiersOf(count)}{' '}
        {count > 0 && 'They are paused, and their positions stay open. '}
        Its trades remain readable, and your open positions stay open.
      </ConfirmDialog>
    </>
  );
}
