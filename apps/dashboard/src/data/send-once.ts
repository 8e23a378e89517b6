/** Idempotency keys of the forms: a repeated request takes effect once, and a refused one is not refused again from memory. */
import { ApiError } from '@trading-automation/sdk';
import { useState } from 'react';

/** The API stores no response with these statuses, so an earlier attempt with the same key may have taken effect. */
const NOT_STORED = [401, 403, 413, 429];

/**
 * Returns whether the API has stored the error as the response to the key. Each repetition with the key would get it for
 * 24 hours, also after the reason is gone.
 */
const isStoredRefusal = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.status < 500 &&
  !NOT_STORED.includes(error.status) &&
  error.code !== 'idempotency_in_progress';

export type SendOnce = <T>(request: unknown, send: (idempotencyKey: string) => Promise<T>) => Promise<T>;

/**
 * Sends a request with an idempotency key. The same request after a lost response or a failure of the server has the same
 * key. Another request has a new one, and so has the same one after a success or a refusal.
 */
export function sendOnce(): SendOnce {
  let attempt: { readonly body: string; readonly key: string } | undefined;
  return async (request, send) => {
    const body = JSON.stringify(request);
    if (attempt?.body !== body) attempt = { body, key: crypto.randomUUID() };
    const { key } = attempt;
    const end = () => {
      if (attempt?.key === key) attempt = undefined;
    };
    try {
      const answer = await send(key);
      end();
      return answer;
    } catch (error) {
      if (isStoredRefusal(error)) end();
      throw error;
    }
  };
}

/** `sendOnce` for the life of a component. */
export const useSendOnce = (): SendOnce => useState(sendOnce)[0];
