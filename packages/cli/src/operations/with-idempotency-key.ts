/**
 * Sends a POST with an Idempotency-Key, and prints the key if there is no response. If the user repeats the command
 * with that key, the POST takes effect only once.
 */
import { randomUUID } from 'node:crypto';
import { ConnectionError } from '@trading-automation/sdk';
import type { Context } from '../context.js';

/** Runs a POST with the configured key or a generated one. Errors are rethrown unchanged. */
export async function withIdempotencyKey<T>(
  { settings, signal, print }: Pick<Context, 'settings' | 'signal' | 'print'>,
  post: (idempotencyKey: string) => Promise<T>,
): Promise<T> {
  const key = settings.idempotencyKey ?? randomUUID();
  try {
    return await post(key);
  } catch (error) {
    if (error instanceof ConnectionError || signal.aborted)
      print.warn(
        `no response, so the command may or may not have taken effect. Repeat it with --idempotency-key ${key}: it then takes effect once.`,
      );
    throw error;
  }
}
