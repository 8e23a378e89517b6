'use client';
import { createContext, useContext } from 'react';

/** The id of the account that is signed in, `usr_…`; empty outside of the pages of a session. */
export const UserIdContext = createContext('');

export const useUserId = () => useContext(UserIdContext);
