'use client';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTradeRefusal } from '../../data/me';
import { LATE } from '../../data/query';
import { Button, IconButton } from '../../ui/button';
import { Menu } from '../../ui/menu';
import { MenuItem, MenuSeparator } from '../../ui/menu-items';
import { notify } from '../../ui/notify';
import { onDemand } from '../../ui/on-demand';
import { type CopierRow, useStrategy } from './use-copier';

const StartCopier = onDemand(() => import('./start-dialog').then((module) => module.StartCopier));
const StopCopier = onDemand(() => import('./stop-dialog').then((module) => module.StopCopier));
const EditCopier = onDemand(() => import('./edit-dialog').then((module) => module.EditCopier));
const DeleteCopier = onDemand(() => import('./delete-dialog').then((module) => module.DeleteCopier));

type Asked = 'start' | 'stop' | 'edit' | 'delete';

/** Start, stop, edit and delete. */
export function CopierActions({ copier }: { readonly copier: CopierRow }) {
  const [asked, ask] = useState<Asked>();
  const refusal = useTradeRefusal();
  const strategy = useStrategy(copier.strategy_id, LATE);
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
