/**
 * Request targets and the Host header, as RFC 9112 (sections 3.2 and 3.2.2) and RFC 9110 (section 4.2.3) define them.
 *
 * 1. A request is routed by its path in normal form. Everything behind the server sees only this path, so no two checks
 *    can read a path differently.
 * 2. A signature covers the target as it was sent. A path that is equal to the signed one in normal form is the same
 *    resource, so the caller has signed what is served.
 */
import type { IncomingMessage } from 'node:http';

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;
const UNRESERVED = /%(?:2[de]|3[0-9]|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi;

/**
 * Returns the target in origin form, with unreserved characters of the path decoded. The host of an absolute form is
 * ignored, as that of the Host header is. The query is unchanged.
 */
export function routedTarget(target: string): string {
  const absolute = ABSOLUTE_FORM.exec(target);
  const rest = absolute === null ? target : target.slice(absolute[0].length);
  const origin = absolute === null || rest.startsWith('/') ? rest : `/${rest}`;
  if (!origin.includes('%')) return origin;
  const queryAt = origin.indexOf('?');
  const path = queryAt < 0 ? origin : origin.slice(0, queryAt);
  return path.replace(UNRESERVED, decodeURIComponent) + origin.slice(path.length);
}

/**
 * Returns the host that a request names. The host of an absolute target replaces the Host header, even if they differ.
 *
 * @param target the target as received
 */
export function requestedHost(
  { headers }: Pick<IncomingMessage, 'headers'>,
  target: string,
): string | undefined {
  return ABSOLUTE_FORM.exec(target)?.[1] ?? headers.host;
}

/** An IP literal or a registered name, and optionally a port. Empty is valid, for a target without authority. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::(\d*))?$/i;
const PORT_MAX = 65_535;

function isHost(text: string): boolean {
  const match = HOST.exec(text);
  return match !== null && Number(match[1] ?? '') <= PORT_MAX;
}

const RESOLUTION = `Send a host name or address, and optionally a port of at most ${PORT_MAX}.`;

/**
 * Returns what is wrong with the Host header or with the host of an absolute target, and how to fix it.
 *
 * @param target the target as received
 */
export function hostProblem(
  { rawHeaders, httpVersion }: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>,
  target: string,
): string | undefined {
  let host: string | undefined;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length !== 4 || rawHeaders[i]!.toLowerCase() !== 'host') continue;
    if (host !== undefined) return 'The request has several Host headers. Send one.';
    host = rawHeaders[i + 1]!;
  }
  if (host === undefined)
    return httpVersion === '1.0'
      ? undefined
      : 'The request has no Host header. Send one, also with an absolute target.';
  if (!isHost(host.trim())) return `The Host header is malformed. ${RESOLUTION}`;
  const authority = ABSOLUTE_FORM.exec(target)?.[1];
  return authority === undefined || isHost(authority)
    ? undefined
    : `The host of the request target is malformed. ${RESOLUTION}`;
}
