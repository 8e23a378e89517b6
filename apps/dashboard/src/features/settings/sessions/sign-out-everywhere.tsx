'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../data/api';
import { signOut } from '../../../data/session';
import { Button } from '../../../ui/button';
import { ConfirmDialog } from '../../../ui/confirm-dialog';

/** Ends all browser sessions, this one too. */
export function SignOutEverywhere({ count }: { readonly count: number }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const end = async () => {
    await api().browserSessions.revokeAll();
    // Removes the cookie of the session that has just ended.
    await signOut().catch(() => undefined);
    queries.clear();
    window.location.assign('/sign-in');
  };
  return (
    <>
      <Button variant="danger-outline" onClick={() => setAsking(true)}>
        Sign out everywhere
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        isDanger
        onConfirm={end}
      >
        {count === 1
          ? 'The only open browser session is this one. It ends immediately.'
          : `All ${count} browser sessions end immediately, this one too.`}{' '}
        API keys and public keys keep working; revoke them under Developers.
      </ConfirmDialog>
    </>
  );
}
