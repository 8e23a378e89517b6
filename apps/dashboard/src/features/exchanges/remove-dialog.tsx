'use client';
import { useQueryClient } from '@tanstack/react-query';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { api } from '../../data/api';
import { Button } from '../../ui/button';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { Dialog } from '../../ui/dialog';
import { FormError } from '../../ui/form-error';
import { Skeleton } from '../../ui/skeleton';
import { type Account, consequencesOf, obstaclesOf } from './account.rules';
import { useAccountUse } from './use-account-use';

interface RemoveDialogProps {
  readonly account: Account;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Removes an account, or says what must end first. */
export function RemoveDialog({ account, isOpen, onClose }: RemoveDialogProps) {
  const router = useRouter();
  const queries = useQueryClient();
  const use = useAccountUse(account.id, isOpen);
  const title = `Remove ${account.account_name}?`;
  const obstacles = use.data && obstaclesOf(use.data);
  if (use.data === undefined || obstacles === undefined || obstacles.length > 0)
    return (
      <Dialog
        isOpen={isOpen}
        onClose={onClose}
        title={title}
        footer={<Button onClick={onClose}>Close</Button>}
      >
        {use.isError && <FormError error={use.error} />}
        {use.isPending && <Skeleton className="h-20 w-full" />}
        {obstacles !== undefined && (
          <>
            <p className="pb-2 text-sm">The account is still in use, so it cannot be removed yet.</p>
            <ul className="flex list-disc flex-col gap-1 pl-5 text-sm">
              {obstacles.map(({ text, href }) => (
                <li key={href}>
                  <Link href={href} className="text-accent-text hover:underline">
                    {text}
                  </Link>
                </li>
              ))}
            </ul>
          </>
        )}
      </Dialog>
    );
  const remove = async () => {
    await api().exchanges.delete(account.id);
    // The account itself must not be read again: it no longer exists.
    await queries.invalidateQueries({ queryKey: ['exchanges', 'all'] });
    router.push('/exchanges', { scroll: false });
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      action="Remove account"
      isDanger
      typed={account.account_name}
      onConfirm={remove}
    >
      <ul className="flex list-disc flex-col gap-1 pl-5">
        {consequencesOf(use.data).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
