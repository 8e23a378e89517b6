'use client';
import { useQueryClient } from '@tanstack/react-query';
import { holdRequests } from '../data/api';
import { signOut } from '../data/session';
import { notify } from '../ui/notify';

/** Returns what ends the session and leads to the sign-in; if the session could not be ended, the page stays as it is. */
export function useLeave(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    holdRequests(true);
    await queries.cancelQueries();
    try {
      await signOut();
      window.location.assign('/sign-in');
    } catch (error) {
      holdRequests(false);
      void queries.invalidateQueries();
      notify({
        kind: 'error',
        message: 'You are still signed in.',
        description: String(Object(error).message),
      });
    }
  };
}
