'use client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { type ReactNode, useState } from 'react';
import { describeFailure } from '../data/failures';
import { LiveProvider } from '../data/live';
import { PreferencesProvider } from '../format/preferences';
import { SessionWatch } from './session-watch';
import { Toaster } from './toaster';
import './style-nonce';

const STALE_MS = 30_000;
/** How often a view that could not be loaded is loaded again, so that it recovers without a reload. */
const RECOVERY_MS = 5_000;

// The library that locks scrolling under a dialog reads this name, and gives the nonce to the style that it adds.
if (typeof document !== 'undefined')
  Object.assign(globalThis, {
    __webpack_nonce__: document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce,
  });

/** What every page of a session needs. */
export function Providers({ children }: { readonly children: ReactNode }) {
  const [queries] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          // The SDK repeats what can be repeated.
          queries: {
            staleTime: STALE_MS,
            retry: false,
            refetchInterval: ({ state }) => (isPassing(state.error) ? RECOVERY_MS : false),
          },
          mutations: { retry: false },
        },
      }),
  );
  return (
    <QueryClientProvider client={queries}>
      <PreferencesProvider>
        <NuqsAdapter>
          <LiveProvider>
            <SessionWatch />
            {children}
            <Toaster />
          </LiveProvider>
        </NuqsAdapter>
      </PreferencesProvider>
    </QueryClientProvider>
  );
}

/** Returns whether a failure may be over in a few seconds, whatever the request is. */
function isPassing(error: unknown): boolean {
  return error !== null && ['unavailable', 'offline', 'limit'].includes(describeFailure(error).kind);
}
