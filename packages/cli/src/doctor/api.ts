/** The API itself: that it answers, which one it is, and what the credential may do. */
import { ApiError, type Client, type Me } from '@trading-automation/sdk';
import type { Signer } from '@trading-automation/sdk/signer';
import { type Finding, fail, ok, warn } from './check.js';
import { judgeClock, skewOf } from './clock.js';

const API = 'v1';

/** Whether it answers, as what, and what its clock says. */
export async function checkApi(
  client: Pick<Client<'string'>, 'version'>,
  baseURL: string,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const askedAtMs = Date.now();
  const startedAt = performance.now();
  try {
    const { data, response } = await client.version.get({ signal, maxRetries: 0 }).withResponse();
    const roundTripMs = Math.round(performance.now() - startedAt);
    const { version, api, world } = data;
    const told = `${version}, ${api}, ${world} world, answers in ${roundTripMs} ms`;
    const answered =
      api === API
        ? ok('api', told)
        : fail('api', `speaks ${api}, not ${API}`, 'Install the svc that fits it.');
    const date = response.headers.get('date');
    if (date === null)
      return [answered, warn('clock', 'the answer has no Date', 'A proxy may have taken it out.')];
    return [answered, judgeClock(skewOf(date, askedAtMs, askedAtMs + roundTripMs), roundTripMs)];
  } catch (error) {
    signal.throwIfAborted();
    return [fail('api', messageOf(error), `Is ${baseURL} the address of the API, and is it up?`)];
  }
}

export interface Credential {
  readonly signer: Signer | undefined;
  readonly apiKey: string | undefined;
}

/** Whether the credential is taken, and for what. */
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
  const may = ok('credential', `${kind} ${id} of ${me.id}, ${me.world} world, may ${permissions.join(', ')}`);
  if (signer !== undefined) return [may];
  return [
    may,
    warn(
      'signature',
      'an API key signs nothing: GraphQL, order books and signals refuse it',
      'svc auth login',
    ),
  ];
}

/** Whether the GraphQL API answers where it is looked for. */
export async function checkGraphql(
  fetch: (url: string, init?: RequestInit) => Promise<Response>,
  url: string,
  signal: AbortSignal,
): Promise<Finding> {
  const resolution = 'Set SVC_GRAPHQL_URL, or keep it in the profile: svc config set graphql_url URL';
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ health { status } }"}',
      redirect: 'manual',
      signal,
    });
    const { data } = (await answer.json()) as { data?: { health?: { status?: string } } };
    const status = data?.health?.status;
    return status === undefined
      ? warn('graphql', `${url} answers ${answer.status}, and is no GraphQL API`, resolution)
      : ok('graphql', `${url} says ${status}`);
  } catch {
    signal.throwIfAborted();
    return warn('graphql', `nothing answers at ${url}`, resolution);
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof ApiError ? `${message} (${error.code})` : message;
}
