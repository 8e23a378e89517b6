'use client';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, type TradeCreate } from '@trading-automation/sdk';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { api } from '../../data/api';
import { useSendOnce } from '../../data/send-once';

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

/** Places an order once, however often it is sent after a lost response. */
export function usePlaceOrder() {
  const router = useRouter();
  const queries = useQueryClient();
  const once = useSendOnce();
  const [problems, setProblems] = useState<ServerProblems>({});
  const [isUncertain, setUncertain] = useState(false);
  const place = async (request: TradeCreate) => {
    setProblems({});
    setUncertain(false);
    try {
      const { id } = await once(request, (idempotencyKey) =>
        api().trades.create(request, { idempotencyKey }),
      );
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
