'use client';
import { Archive, ArchiveRestore, Ellipsis, Eye, EyeOff, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTradeRefusal } from '../../data/me';
import { Button, IconButton } from '../../ui/button';
import { Menu } from '../../ui/menu';
import { MenuItem, MenuSeparator } from '../../ui/menu-items';
import { onDemand } from '../../ui/on-demand';
import { useWasTrue } from '../../ui/use-was-true';
import type { StrategyRow } from './figures';
import type { StrategyAction } from './strategy-confirmations';

const EditStrategy = onDemand(() => import('./edit-dialog').then((module) => module.EditStrategy));
const StrategyConfirmations = onDemand(() =>
  import('./strategy-confirmations').then((module) => module.StrategyConfirmations),
);

const ICON = 'size-4';

/** What an owner may do with a strategy. */
export function OwnerActions({ strategy }: { readonly strategy: StrategyRow }) {
  const [asked, ask] = useState<StrategyAction>();
  const isConfirming = useWasTrue(asked !== undefined && asked !== 'edit');
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
      {isConfirming && <StrategyConfirmations strategy={strategy} asked={asked} onClose={close} />}
    </>
  );
}
