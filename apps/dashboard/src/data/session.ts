'use client';
/** Signing in and out, through this dashboard's own server. */

interface ServerError {
  readonly code?: string;
  readonly message?: string;
  readonly request_id?: string;
}

/** A request to the server failed. */
export class SessionError extends Error {
  constructor(
    readonly status: number,
    { message }: ServerError,
  ) {
    super(message ?? `The server responded with ${status}.`);
  }
}

/** Calls a route of this dashboard's server. @throws {SessionError} */
export async function callServer<T>(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const response = await fetch(`/api/session${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  }).catch(() => {
    throw new SessionError(0, { message: 'The dashboard does not respond. Check your connection.' });
  });
  const { data, error } = Object(await response.json().catch(() => undefined));
  if (!response.ok) throw new SessionError(response.status, Object(error));
  return data as T;
}

export const signOut = () => callServer('DELETE', '');

/** Ends the session and leads to the sign-in, which leads back to this page. */
export async function signInAgain(): Promise<void> {
  const here = window.location.pathname + window.location.search;
  // The sign-in is needed even if the session could not be ended.
  await signOut().catch(() => undefined);
  window.location.assign(`/sign-in?${new URLSearchParams({ return: here })}`);
}
