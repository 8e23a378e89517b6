/**
 * The session of a browser: a key pair of this server, sealed in a cookie that scripts cannot read. The API knows its
 * public key, enforces its idle and absolute limits, and ends it; this server keeps nothing.
 */
import { sealData, unsealData } from 'iron-session';
import { dashboardRuntime } from '../process/runtime';

export interface Session {
  /** 64 hex digits. */
  readonly privateKey: string;
  /** Id of the session at the API, `pbk_…`. */
  readonly id: string;
  readonly userId: string;
  /** When the session ends in any case, ISO 8601. */
  readonly expiresAt: string;
}

/** A sign-in that has begun in this browser. */
export interface PendingSignIn {
  readonly privateKey: string;
  /** The secret with which this server asks whether the user approved; absent while an account is created. */
  readonly deviceCode?: string;
}

const SESSION_SECONDS = 12 * 3600;
const PENDING_SECONDS = 10 * 60;
const KINDS = { session: SESSION_SECONDS, 'sign-in': PENDING_SECONDS } as const;
type Kind = keyof typeof KINDS;

export const readSession = (request: Request) => open<Session>(request, 'session');
export const readPendingSignIn = (request: Request) => open<PendingSignIn>(request, 'sign-in');

export const sessionCookie = (session: Session) => seal('session', session);
export const pendingCookie = (pending: PendingSignIn) => seal('sign-in', pending);
export const clearedCookie = (kind: Kind) => cookie(kind, '', 0);

/** Returns what a cookie of the request holds; undefined without one, or if this server did not seal it. */
export async function openCookies<T extends object>(
  cookies: string | null,
  kind: Kind,
): Promise<T | undefined> {
  const name = cookieName(kind);
  const pair = cookies?.split(/; */).find((part) => part.startsWith(`${name}=`));
  if (pair === undefined) return undefined;
  const sealed = pair.slice(name.length + 1);
  for (const key of dashboardRuntime().config.SESSION_KEYS) {
    const { k, ...value } = await unsealData<{ k?: string }>(sealed, { password: key, ttl: KINDS[kind] });
    // A seal that is invalid or too old opens as an empty object. The kind prevents using one cookie as the other.
    if (k === kind) return value as T;
  }
  return undefined;
}

const open = <T extends object>(request: Request, kind: Kind) =>
  openCookies<T>(request.headers.get('cookie'), kind);

async function seal(kind: Kind, value: object): Promise<string> {
  const [password = ''] = dashboardRuntime().config.SESSION_KEYS;
  // A seal has only characters that a cookie may have.
  return cookie(kind, await sealData({ ...value, k: kind }, { password, ttl: KINDS[kind] }), KINDS[kind]);
}

function cookie(kind: Kind, value: string, seconds: number): string {
  const parts = [`${cookieName(kind)}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`];
  return [...parts, ...(isSecure() ? ['Secure'] : [])].join('; ');
}

/** Browsers accept a cookie with this prefix only from this host, over TLS, so that no other host can plant one. */
const cookieName = (kind: Kind) => (isSecure() ? `__Host-${kind}` : kind);
const isSecure = () => dashboardRuntime().config.PUBLIC_URL.startsWith('https:');
