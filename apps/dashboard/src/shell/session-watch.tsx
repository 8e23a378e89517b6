'use client';
/**
 * Follows the session of the page: extends it while a person uses the page without causing requests, and leads to the
 * sign-in as soon as a request reports its end.
 */
import { useQueryClient } from '@tanstack/react-query';
import { ApiError } from '@trading-automation/sdk';
import { useEffect } from 'react';
import { watchInput } from '../data/activity';
import { api } from '../data/api';

/** Well below the idle limit of 30 minutes. */
const TOUCH_MS = 5 * 60_000;

/** Whether the browser is on its way to the sign-in. */
let isLeaving = false;

export function SessionWatch() {
  const queries = useQueryClient();
  useEffect(() => {
    let touchedAt = performance.now();
    return watchInput(() => {
      if (performance.now() - touchedAt < TOUCH_MS) return;
      touchedAt = performance.now();
      void api().me.get().catch(leaveIfOver);
    });
  }, []);
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ query }) => {
        if (query.state.status === 'error') leaveIfOver(query.state.error);
      }),
    [queries],
  );
  return null;
}

function leaveIfOver(error: unknown): void {
  // The first failure knows why the session ended. Its cookie is gone after that, so later ones do not.
  if (isLeaving || !(error instanceof ApiError) || error.status !== 401) return;
  isLeaving = true;
  const here = window.location.pathname + window.location.search;
  const state = error.details[0]?.state;
  const reason = typeof state === 'string' ? state : 'ENDED';
  window.location.assign(`/sign-in?${new URLSearchParams({ reason, return: here })}`);
}
