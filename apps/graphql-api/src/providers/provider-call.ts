/**
 * Calls identity providers. Their URLs come only from the configuration, never from a caller.
 *
 * 1. If a response is incomplete at the timeout, too large or not parseable, the provider has failed. The caller gets
 *    `service_unavailable`, never a rejected login.
 * 2. Redirects are not followed, because a redirected request would send the user's token to another URL.
 */
import { DomainError } from '@trading-automation/contracts';

const TIMEOUT_MS = 5_000;
const RESPONSE_MAX_BYTES = 64 * 1_024;

export interface ProviderCall {
  /** Display name of the provider. */
  readonly provider: string;
  readonly url: string;
  readonly bearer?: string;
  /** Sent by POST. Without it, the call is a GET. */
  readonly form?: URLSearchParams;
  readonly basic?: { readonly user: string; readonly password: string };
  readonly timeoutMs?: number | undefined;
}

export interface ProviderResponse {
  readonly status: number;
  /** The parsed JSON of a response with status 200; undefined for any other status. */
  readonly body: unknown;
}

/** @throws {DomainError} `service_unavailable` */
export async function callProvider({
  provider,
  url,
  bearer,
  form,
  basic,
  timeoutMs = TIMEOUT_MS,
}: ProviderCall): Promise<ProviderResponse> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
  if (basic !== undefined)
    headers.authorization = `Basic ${Buffer.from(`${basic.user}:${basic.password}`).toString('base64')}`;
  const request = form === undefined ? {} : { method: 'POST', body: form };
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...request, headers, signal, redirect: 'manual' });
    if (response.status === 200) return { status: 200, body: JSON.parse(await textOf(response)) };
    await response.body?.cancel();
    return { status: response.status, body: undefined };
  } catch (cause) {
    throw providerFailed(provider, cause);
  }
}

export function providerFailed(provider: string, cause?: unknown): DomainError {
  const message = `${provider} is currently unavailable. Try again later.`;
  return new DomainError('service_unavailable', message, [], { cause });
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > RESPONSE_MAX_BYTES) throw new RangeError('the response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
