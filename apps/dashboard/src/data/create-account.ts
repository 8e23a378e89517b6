/** Makes an account in the page, or signs in with the key of one. The private key of the account is never sent. */
import { Client } from '@trading-automation/sdk';
import { createSigner, generatePrivateKey, type Signer, signChallenge } from '@trading-automation/sdk/signer';
import { callServer } from './session';

interface PreparedAccount {
  readonly challenge: string;
  readonly session_request: Record<string, string>;
}

const SESSIONS_PATH = '/v1/auth/sessions';

/** Opens an account and a session of this browser. Returns the private key of the account, as the CLI reads it. */
export async function createAccount(): Promise<string> {
  const prepared = await callServer<PreparedAccount>('POST', '/account');
  const key = generatePrivateKey();
  const signer = createSigner(key);
  const anonymous = new Client({
    baseURL: window.location.origin,
    apiKey: null,
    logLevel: 'off',
    fetch: (url, init) => fetch(url.replace('/v1/', '/api/v1/'), init),
  });
  await anonymous.auth.cliIdentity({
    ...(await signChallenge(prepared.challenge, signer)),
    label: 'Key file of the dashboard',
  });
  await openSession(signer, prepared.session_request);
  return Array.from(key, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the signer of a key file; undefined if its text is not a private key. */
export function readKeyFile(text: string): Signer | undefined {
  try {
    return createSigner(text.trim());
  } catch {
    return undefined;
  }
}

/** Opens a session of this browser for the account of a key pair. */
export async function signInWithKey(signer: Signer): Promise<void> {
  const prepared = await callServer<PreparedAccount>('POST', '/account');
  await openSession(signer, prepared.session_request);
}

/** Signs the request that opens the session. The server sends it on and keeps the key of the session alone. */
async function openSession(signer: Signer, request: Record<string, string>) {
  let signed: { body: string; headers: Record<string, string> } | undefined;
  const signing = new Client({
    baseURL: window.location.origin,
    signer,
    logLevel: 'off',
    maxRetries: 0,
    fetch: async (_url, init) => {
      const headers = [...new Headers(init.headers)].filter(([name]) => name.startsWith('x-svc-'));
      signed = { body: String(init.body), headers: Object.fromEntries(headers) };
      return Response.json({ success: true, data: {} });
    },
  });
  await signing.post(SESSIONS_PATH, request);
  await callServer('POST', '/account/open', signed);
}
