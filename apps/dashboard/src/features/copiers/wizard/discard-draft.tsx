'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { api } from '../../../data/api';
import { Button } from '../../../ui/button';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import type { CopierRow } from '../use-copier';

/** Deletes the copier that the wizard has saved, as long as it was never started. */
export function DiscardDraft({ copier }: { readonly copier: CopierRow }) {
  const router = useRouter();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const discard = async () => {
    await api().copiers.delete(copier.id);
    router.push('/copiers');
    await queries.invalidateQueries({ queryKey: ['copiers', 'list'] });
  };
  return (
    <>
      <Button variant="ghost" onClick={() => setAsking(true)}>
        Discard copier
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Discard ${copier.name}?`}
        action="Discard copier"
        isDanger
        onConfirm={discard}
      >
        It was never started and has placed no order. Its settings are deleted.
      </ConfirmDialog>
    </>
  );
}
