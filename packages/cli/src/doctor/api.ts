/** Checks the API: availability, version, clock and the permissions of the credential. */
import { ApiError, type Client, type Me } from '@trading-automation/sdk';
import type { Signer } from '@trading-automation/sdk/signer';
import { type Finding, fail, ok, warn } from './check.js';
import { checkClock, skewOf } from './clock.js';

const API_VERSION = 'v1';

/** Checks that the API responds, its version, and the difference of the clocks. */
export async function checkApi(
  client: Pick<Client<'string'>, 'version'>,
  baseURL: string,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const sentAtMs = Date.now();
  const startedAt = performance.now();
  try {
    const { data, response } = await client.version.get({ signal, maxRetries: 0 }).withResponse();
    const roundTripMs = Math.round(performance.now() - startedAt);
    const { version, api, world } = data;
    const found = `${version}, ${api}, ${world} world, responds in ${roundTripMs} ms`;
    const apiFinding =
      api === API_VERSION
        ? ok('api', found)
        : fail(
            'api',
            `the API is ${api}, not ${API_VERSION}`,
            'Install the svc release for this API version.',
          );
    const date = response.headers.get('date');
    if (date === null)
      return [apiFinding, warn('clock', 'the response has no Date header', 'A proxy may have removed it.')];
    return [apiFinding, checkClock(skewOf(date, sentAtMs, sentAtMs + roundTripMs), roundTripMs)];
  } catch (error) {
    signal.throwIfAborted();
    return [
      fail(
        'api',
        messageOf(error),
        `Check that ${baseURL} is the address of the API and that it is running.`,
      ),
    ];
  }
}

export interface Credential {
  readonly signer: Signer | undefined;
  readonly apiKey: string | undefined;
}

/** Checks that the API accepts the credential, and lists its permissions. Warns if it cannot sign requests. */
export async function checkCredential(
  client: Pick<Client<'string'>, 'me'>,
  { signer }: Credential,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  let me: Me;
  try {
    me = await client.me.get({ signal, maxRetries: 0 });
  } catch (error) {
    signal.throwIfAborted();
    return [fail('credential', messageOf(error), 'Log in again with `svc auth login`.')];
  }
  const { kind, id, permissions } = me.credential;
  const accepted = ok(
    'credential',
    `${kind} ${id} of ${me.id}, ${me.world} world, permissions ${permissions.join(', ')}`,
  );
  if (signer !== undefined) return [accepted];
  return [
    accepted,
    warn(
      'signature',
      'GraphQL, order books and signals need a key pair; an API key cannot sign',
      'Log in with `svc auth login`.',
    ),
  ];
}

/** Checks that the GraphQL API responds at its configured address. */
export async function checkGraphql(
  fetch: (url: string, init?: RequestInit) => Promise<Response>,
  url: string,
  signal: AbortSignal,
): Promise<Finding> {
  const resolution = 'Set SVC_GRAPHQL_URL, or store the address: svc config set graphql_url URL';
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ health { status } }"}',
      redirect: 'manual',
      signal,
    });
    const { data } = (await response.json()) as { data?: { health?: { status?: string } } };
    const status = data?.health?.status;
    return status === undefined
      ? warn('graphql', `${url} responds with ${response.status} and is not a GraphQL API`, resolution)
      : ok('graphql', `${url} reports ${status}`);
  } catch {
    signal.throwIfAborted();
    return warn('graphql', `no response from ${url}`, resolution);
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof ApiError ? `${message} (${error.code})` : message;
}
