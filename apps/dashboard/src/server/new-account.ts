/**
 * Completes a new account: the page made its key pair, linked the public key and signed the request that opens the
 * session. The private key of the account never reaches this server.
 */
import type { BrowserSession } from '@trading-automation/sdk';
import { z } from 'zod';
import { ADDRESS_HEADER, dashboardRuntime } from '../process/runtime';
import { sendError } from './responses';
import type { PendingSignIn } from './session';
import { cookiesOf } from './sign-in';
import { passOnResponse } from './upstream';

const SESSIONS_PATH = '/v1/auth/sessions';

/** The body of the request as the page signed it, and the four headers of its signature. */
const signedRequest = z.strictObject({
  body: z.string().max(4096),
  headers: z.strictObject({
    'x-svc-pubkey': z.string().max(66),
    'x-svc-timestamp': z.string().max(20),
    'x-svc-nonce': z.string().max(32),
    'x-svc-sig': z.string().max(128),
  }),
});

export async function openForAccount(request: Request, pending: PendingSignIn) {
  const signed = signedRequest.safeParse(await request.json().catch(() => undefined));
  if (!signed.success)
    return sendError(422, 'validation_failed', 'The signed request of the page is incomplete.');
  const response = await fetch(dashboardRuntime().config.REST_URL + SESSIONS_PATH, {
    method: 'POST',
    body: signed.data.body,
    headers: {
      ...signed.data.headers,
      'content-type': 'application/json',
      'x-forwarded-for': request.headers.get(ADDRESS_HEADER) ?? '',
    },
    signal: AbortSignal.timeout(40_000),
  });
  if (!response.ok) return passOnResponse(response);
  const { data } = (await response.json()) as { data: BrowserSession };
  return { data: {}, cookies: await cookiesOf(pending.privateKey, data) };
}
