'use client';
import { createContext, useContext } from 'react';

/** The id of the account that is signed in, `usr_…`. */
export const UserIdContext = createContext<string | undefined>(undefined);

export function useUserId(): string {
  const userId = useContext(UserIdContext);
  if (userId === undefined) throw new Error('useUserId needs a page of a session');
  return userId;
}
