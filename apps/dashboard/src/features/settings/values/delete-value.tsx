'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { Setting } from '@trading-automation/sdk';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../data/api';
import { IconButton } from '../../../ui/button';
import { ConfirmDialog } from '../../../ui/confirm-dialog';

export function DeleteValue({ setting }: { readonly setting: Setting }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { key } = setting;
  const remove = async () => {
    await api().settings.delete(key);
    await queries.invalidateQueries({ queryKey: ['settings'] });
  };
  return (
    <>
      <IconButton
        label={`Delete ${key}`}
        icon={<Trash2 aria-hidden className="size-4" />}
        className="h-7"
        onClick={() => setAsking(true)}
      />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete ${key}?`}
        action="Delete value"
        isDanger
        onConfirm={remove}
      >
        {key === 'notifications'
          ? 'The defaults decide again what notifies you.'
          : 'Programs that read this value no longer find it.'}
      </ConfirmDialog>
    </>
  );
}
