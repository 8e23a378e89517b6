'use client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { describeFailure } from '../data/failures';
import { keepFailures } from '../data/keep-failures';
import { LiveProvider } from '../data/live';
import { ArrivedContext, ArrivedData } from '../data/server-data';
import { ClockProvider } from '../format/clock';
import { PreferencesProvider } from '../format/preferences';
import type { Reading } from '../format/reading';
import { Notices } from './notices';
import { PageData } from './page-data';
import { SessionWatch } from './session-watch';
import './style-nonce';

const STALE_MS = 30_000;
/** How often a view that could not be loaded is loaded again, so that it recovers without a reload. */
const RECOVERY_MS = 5_000;

export interface ProvidersProps {
  readonly reading: Reading;
  /** When the server rendered the page, in milliseconds. */
  readonly arrivedAt: number;
  readonly children: ReactNode;
}

/** What every page of a session needs. */
export function Providers({ reading, arrivedAt, children }: ProvidersProps) {
  const [queries] = useState(() => {
    const client = new QueryClient({
      defaultOptions: {
        // The SDK repeats what can be repeated.
        queries: {
          staleTime: STALE_MS,
          retry: false,
          refetchInterval: ({ state }) => (isPassing(state.error) ? RECOVERY_MS : false),
        },
        mutations: { retry: false },
      },
    });
    keepFailures(client);
    return client;
  });
  const [arrived] = useState(() => new ArrivedData(queries));
  return (
    <QueryClientProvider client={queries}>
      <PageData />
      <ClockProvider value={arrivedAt}>
        <PreferencesProvider arrived={reading}>
          <ArrivedContext value={arrived}>
            <LiveProvider>
              <SessionWatch />
              {children}
              <Notices />
            </LiveProvider>
          </ArrivedContext>
        </PreferencesProvider>
      </ClockProvider>
    </QueryClientProvider>
  );
}

/** Returns whether a failure may be over in a few seconds, whatever the request is. */
function isPassing(error: unknown): boolean {
  return error !== null && ['unavailable', 'offline', 'limit'].includes(describeFailure(error).kind);
}
