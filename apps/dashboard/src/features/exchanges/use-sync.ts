'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../data/api';
import { describeFailure } from '../../data/failures';
import { useEvents } from '../../data/live';

export type SyncState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running' }
  | { readonly kind: 'done' | 'failed'; readonly text: string };

const RESULTS: Readonly<Record<string, { kind: 'done' | 'failed'; text: string }>> = {
  'exchange.synced': { kind: 'done', text: 'Synced. The credentials work.' },
  'exchange.sync_failed': {
    kind: 'failed',
    text: 'The exchange did not send the balances. They are read again later.',
  },
  'exchange.credentials_rejected': { kind: 'failed', text: 'The exchange rejected the credentials.' },
};
const PATIENCE_MS = 20_000;
const LATE = { kind: 'failed', text: 'The exchange has not responded yet. The sync goes on.' } as const;

/** Syncs an account, which also tests its stored credentials, and follows the result. */
export function useSync(accountId: string) {
  const queries = useQueryClient();
  const [state, setState] = useState<SyncState>({ kind: 'idle' });
  const isRunning = useRef(false);
  const end = (next: SyncState) => {
    isRunning.current = false;
    setState(next);
  };
  useEvents((event) => {
    const result = RESULTS[event.type];
    if (result !== undefined && isRunning.current && Object(event.data).id === accountId) end(result);
  });
  useEffect(() => {
    if (state.kind !== 'running') return;
    const timer = setTimeout(() => end(LATE), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const sync = async () => {
    isRunning.current = true;
    setState({ kind: 'running' });
    try {
      await api().exchanges.sync(accountId);
    } catch (error) {
      const { title, advice } = describeFailure(error);
      end({ kind: 'failed', text: `${title} ${advice}` });
    }
    await queries.invalidateQueries({ queryKey: ['exchanges'] });
  };
  return { state, sync };
}
