/**
 * Opens the session of a browser, by code, with an API key, or for an account that the page has just created. Each way
 * makes a new key pair, whose private half never leaves this server but in the sealed cookie.
 */
import {
  ApiError,
  type BrowserSession,
  Client,
  ConflictError,
  type GrantedSession,
} from '@trading-automation/sdk';
import { createSigner, generatePrivateKey, signChallenge } from '@trading-automation/sdk/signer';
import { ADDRESS_HEADER, dashboardRuntime } from '../process/runtime';
import { clientNameOf } from './client-name';
import {
  clearedCookie,
  type PendingSignIn,
  pendingCookie,
  readSession,
  type Session,
  sessionCookie,
} from './session';

/** A client of the REST API that passes on the address of the browser. */
function apiFor(request: Request, credential: { apiKey?: string; privateKey?: string } = {}): Client {
  const { apiKey = null, privateKey } = credential;
  return new Client({
    baseURL: dashboardRuntime().config.REST_URL,
    ...(privateKey === undefined ? { apiKey } : { signer: createSigner(privateKey) }),
    defaultHeaders: { 'x-forwarded-for': request.headers.get(ADDRESS_HEADER) ?? '' },
    maxRetries: 0,
    logLevel: 'off',
  });
}

/** Starts a sign-in by code. */
export async function startByCode(request: Request) {
  const { privateKey, proof } = await newKeyPair(request);
  const { device_code, user_code, expires_at, interval } = await apiFor(request).deviceAuthorizations.create({
    ...proof,
    // All by name, so that the approver can leave out some of them.
    permissions: ['READ', 'TRADE', 'WITHDRAW', 'ADMIN'],
    client_name: clientNameOf(request),
  });
  const cookies = [await pendingCookie({ privateKey, deviceCode: device_code })];
  return { data: { user_code, expires_at, interval }, cookies };
}

type CodeState = 'PENDING' | 'DENIED' | 'EXPIRED' | 'APPROVED';

/** Asks whether the user approved the code, and opens the session if so. */
export async function continueByCode(request: Request, pending: PendingSignIn) {
  try {
    const { deviceCode: device_code = '' } = pending;
    const granted = await apiFor(request).deviceAuthorizations.token({ device_code });
    return {
      data: { state: 'APPROVED' as CodeState },
      cookies: await cookiesOf(pending.privateKey, granted),
    };
  } catch (error) {
    const state = error instanceof ConflictError ? error.details[0]?.state : undefined;
    if (typeof state === 'string') return { data: { state: state as CodeState }, cookies: [] };
    // The code is gone, or the page asked too often; neither loses anything.
    if (error instanceof ApiError && error.status === 404)
      return { data: { state: 'EXPIRED' as CodeState }, cookies: [] };
    if (error instanceof ApiError && error.status === 429)
      return { data: { state: 'PENDING' as CodeState }, cookies: [] };
    throw error;
  }
}

/** Exchanges an API key for a session. The key is used once and not kept. */
export async function openByApiKey(request: Request, apiKey: string): Promise<readonly string[]> {
  const { privateKey, proof } = await newKeyPair(request);
  const session = await apiFor(request, { apiKey }).browserSessions.create({
    ...proof,
    client_name: clientNameOf(request),
  });
  return cookiesOf(privateKey, session);
}

/** Makes the key pair of a session that the key pair of a new account, which only the page has, opens. */
export async function prepareForAccount(request: Request) {
  const { privateKey, proof } = await newKeyPair(request);
  const { challenge } = await apiFor(request).auth.cliChallenge();
  const session_request = { ...proof, client_name: clientNameOf(request) };
  return { data: { challenge, session_request }, cookies: [await pendingCookie({ privateKey })] };
}

/** Ends the session of the browser, at the API too. */
export async function closeSession(request: Request): Promise<readonly string[]> {
  const session = await readSession(request);
  if (session !== undefined)
    await apiFor(request, session)
      .browserSessions.revoke(session.id)
      .catch((error: unknown) => {
        // The session is over already.
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      });
  return [clearedCookie('session'), clearedCookie('sign-in')];
}

export async function cookiesOf(
  privateKey: string,
  session: GrantedSession | BrowserSession,
): Promise<readonly string[]> {
  const value: Session = {
    privateKey,
    id: 'public_key_id' in session ? session.public_key_id : session.id,
    userId: session.user_id,
    expiresAt: String(session.expires_at),
  };
  return [await sessionCookie(value), clearedCookie('sign-in')];
}

async function newKeyPair(request: Request) {
  const key = generatePrivateKey();
  const { challenge } = await apiFor(request).auth.cliChallenge();
  const proof = await signChallenge(challenge, createSigner(key));
  return { privateKey: Buffer.from(key).toString('hex'), proof };
}
