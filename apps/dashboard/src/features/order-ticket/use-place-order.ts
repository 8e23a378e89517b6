'use client';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, type TradeCreate } from '@trading-automation/sdk';
import { useRouter } from 'next/navigation';
import { useRef, useState } from 'react';
import { api } from '../../data/api';

/** The messages of the API, by the field of the request that they concern. */
export type ServerProblems = Readonly<Record<string, string>>;

/** The fields that the ticket shows a message beside. */
const SHOWN = [
  'amount',
  'price',
  'stop_price',
  'exchange_account_id',
  'strategy_id',
  'time_in_force',
  'type',
];

/**
 * Places an order once. A repetition of the same order, such as after a lost response, has the same idempotency key; another
 * order, and the same one after a success, has a new one.
 */
export function usePlaceOrder() {
  const router = useRouter();
  const queries = useQueryClient();
  const attempt = useRef<{ readonly body: string; readonly key: string }>(undefined);
  const [problems, setProblems] = useState<ServerProblems>({});
  const [isUncertain, setUncertain] = useState(false);
  const place = async (request: TradeCreate) => {
    const body = JSON.stringify(request);
    if (attempt.current?.body !== body) attempt.current = { body, key: crypto.randomUUID() };
    setProblems({});
    setUncertain(false);
    try {
      const { id } = await api().trades.create(request, { idempotencyKey: attempt.current.key });
      attempt.current = undefined;
      await queries.invalidateQueries({ queryKey: ['trades'] });
      router.push(`/trades/${id}`);
    } catch (error) {
      const byField = problemsIn(error);
      // The dialog closes, because the ticket says beside its fields what to change.
      if (byField !== undefined) return setProblems(byField);
      setUncertain(!(error instanceof ApiError) || error.status >= 500);
      throw error;
    }
  };
  return { place, problems, isUncertain, clear: () => setProblems({}) };
}

function problemsIn(error: unknown): ServerProblems | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const named = error.details.filter(({ field, message }) => field && message && SHOWN.includes(field));
  if (named.length === 0) return undefined;
  return Object.fromEntries(named.map(({ field, message }) => [field, message ?? '']));
}
