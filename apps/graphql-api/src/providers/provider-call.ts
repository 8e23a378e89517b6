/**
 * Calls to providers of identities, at addresses that are configuration, never a caller's.
 *
 * 1. An answer that does not come whole within the time, is too large or cannot be read is the provider's failure:
 *    `service_unavailable`, and never a refusal of who asked.
 * 2. No redirect is followed: it would take a user's token along.
 */
import { DomainError } from '@trading-automation/contracts';

const TIMEOUT_MS = 5_000;
const ANSWER_MAX_BYTES = 64 * 1_024;

export interface ProviderCall {
  /** As people know it. */
  readonly provider: string;
  readonly url: string;
  readonly bearer?: string;
  readonly timeoutMs?: number | undefined;
}

export interface ProviderResponse {
  readonly status: number;
  /** What JSON of a 200 says; of any other answer nothing is read. */
  readonly body: unknown;
}

/** @throws {DomainError} `service_unavailable` */
export async function callProvider({
  provider,
  url,
  bearer,
  timeoutMs = TIMEOUT_MS,
}: ProviderCall): Promise<ProviderResponse> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, { headers, signal, redirect: 'manual' });
    if (answer.status === 200) return { status: 200, body: JSON.parse(await textOf(answer)) };
    await answer.body?.cancel();
    return { status: answer.status, body: undefined };
  } catch (cause) {
    throw providerFailed(provider, cause);
  }
}

export function providerFailed(provider: string, cause?: unknown): DomainError {
  const message = `${provider} cannot be asked at the moment. Try again later.`;
  return new DomainError('service_unavailable', message, [], { cause });
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > ANSWER_MAX_BYTES) throw new RangeError('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
