'use client';
/** What an owner may do with a strategy, with the consequences for its copiers. */
import { useQueryClient } from '@tanstack/react-query';
import { Archive, ArchiveRestore, Ellipsis, Eye, EyeOff, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { api } from '../../data/api';
import { useTradeRefusal } from '../../data/me';
import { Button, IconButton } from '../../ui/button';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu';
import { EditStrategy } from './edit-dialog';
import type { StrategyRow } from './figures';

type Asked = 'edit' | 'archive' | 'activate' | 'publish' | 'hide' | 'delete';
const ICON = 'size-4';

export function OwnerActions({ strategy }: { readonly strategy: StrategyRow }) {
  const [asked, ask] = useState<Asked>();
  const refusal = useTradeRefusal();
  if (refusal !== undefined) return <p className="text-muted text-sm">{refusal}</p>;
  const close = () => ask(undefined);
  const isActive = strategy.status === 'ACTIVE';
  const isPublic = strategy.visibility === 'PUBLIC';
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton
            label="More actions"
            variant="secondary"
            icon={<Ellipsis aria-hidden className={ICON} />}
          />
        }
      >
        <MenuItem
          icon={isPublic ? <EyeOff aria-hidden className={ICON} /> : <Eye aria-hidden className={ICON} />}
          onSelect={() => ask(isPublic ? 'hide' : 'publish')}
        >
          {isPublic ? 'Make private' : 'Make public'}
        </MenuItem>
        <MenuItem
          icon={
            isActive ? (
              <Archive aria-hidden className={ICON} />
            ) : (
              <ArchiveRestore aria-hidden className={ICON} />
            )
          }
          onSelect={() => ask(isActive ? 'archive' : 'activate')}
        >
          {isActive ? 'Archive strategy' : 'Activate strategy'}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<Trash2 aria-hidden className={ICON} />} isDanger onSelect={() => ask('delete')}>
          Delete strategy
        </MenuItem>
      </Menu>
      <Button variant="primary" onClick={() => ask('edit')}>
        Edit strategy
      </Button>
      {asked === 'edit' && <EditStrategy strategy={strategy} onClose={close} />}
      <Confirmations strategy={strategy} asked={asked} onClose={close} />
    </>
  );
}

const copiersOf = (count: number) =>
  count === 0 ? 'No copier follows it.' : `${count} ${count === 1 ? 'copier follows' : 'copiers follow'} it.`;

interface ConfirmationsProps {
  readonly strategy: StrategyRow;
  readonly asked: Asked | undefined;
  readonly onClose: () => void;
}

function Confirmations({ strategy, asked, onClose }: ConfirmationsProps) {
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
