/**
 * A POST under an idempotency key that is told where it counts: whoever got no answer can send it again under the same
 * key, and it happens once.
 */
import { randomUUID } from 'node:crypto';
import { ConnectionError } from '@trading-automation/sdk';
import type { Context } from '../context.js';

/** Carries a POST out under the key that was given, or one of its own. What fails is thrown as it is. */
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
        `no answer came, so whether it was done is not known. To be sure, send the same again with --idempotency-key ${key}: it happens once.`,
      );
    throw error;
  }
}
