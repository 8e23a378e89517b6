'use client';
import { useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { api } from '../../data/api';
import { useTradeRefusal } from '../../data/me';
import { Button, IconButton } from '../../ui/button';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu';
import { notify } from '../../ui/notify';
import { EditCopier } from './edit-dialog';
import { HeldPositions } from './holdings';
import { StartCopier } from './start-dialog';
import { StopCopier } from './stop-dialog';
import { type CopierRow, useHoldings, useStrategy } from './use-copier';

type Asked = 'start' | 'stop' | 'edit' | 'delete';

/** Start, stop, edit and delete. */
export function CopierActions({ copier }: { readonly copier: CopierRow }) {
  const [asked, ask] = useState<Asked>();
  const refusal = useTradeRefusal();
  const strategy = useStrategy(copier.strategy_id);
  if (refusal !== undefined) return <p className="text-muted text-sm">{refusal}</p>;
  const close = () => ask(undefined);
  const isPaused = copier.status === 'PAUSED';
  const startRefusal =
    copier.strategy_id === undefined
      ? 'It follows no strategy.'
      : strategy.data?.status === 'ARCHIVED'
        ? 'Its strategy is archived.'
        : undefined;
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton
            label="More actions"
            variant="secondary"
            icon={<Ellipsis aria-hidden className="size-4" />}
          />
        }
      >
        <MenuItem icon={<Pencil aria-hidden className="size-4" />} onSelect={() => ask('edit')}>
          Edit settings
        </MenuItem>
        <MenuSeparator />
        <MenuItem
          icon={<Trash2 aria-hidden className="size-4" />}
          isDanger
          onSelect={() =>
            isPaused
              ? ask('delete')
              : notify({ message: 'Pause the copier first. Only a paused copier can be deleted.' })
          }
        >
          Delete copier
        </MenuItem>
      </Menu>
      {copier.status !== 'ACTIVE' && startRefusal !== undefined && (
        <p className="text-muted text-sm">{startRefusal}</p>
      )}
      {!isPaused && <Button onClick={() => ask('stop')}>Stop copier</Button>}
      {copier.status !== 'ACTIVE' && (
        <Button
          variant="primary"
          disabled={startRefusal !== undefined}
          title={startRefusal}
          onClick={() => ask('start')}
        >
          Start copier
        </Button>
      )}
      {asked === 'start' && <StartCopier copier={copier} onClose={close} />}
      {asked === 'stop' && <StopCopier copier={copier} onClose={close} />}
      {asked === 'edit' && <EditCopier copier={copier} onClose={close} />}
      {asked === 'delete' && <DeleteCopier copier={copier} onClose={close} />}
    </>
  );
}

function DeleteCopier({ copier, onClose }: { readonly copier: CopierRow; readonly onClose: () => void }) {
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
