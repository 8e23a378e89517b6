/** Content coding and validators of responses, as RFC 9110 defines them. */
import { createHash } from 'node:crypto';

/** Returns whether an Accept-Encoding header accepts gzip. */
export function acceptsGzip(accepted: string | string[] | undefined): boolean {
  let byAny = false;
  for (const coding of String(accepted ?? '').split(',')) {
    const [, name, weight] = /^\s*(gzip|x-gzip|\*)\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(coding) ?? [];
    if (name === undefined) continue;
    const isAccepted = weight === undefined || Number(weight) > 0;
    if (name !== '*') return isAccepted;
    byAny = isAccepted;
  }
  return byAny;
}

/** Returns whether an If-None-Match header names the entity tag. Weak and strong tags are equal. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch
    .split(',')
    .some((candidate) => candidate.trim() === '*' || opaque(candidate) === opaque(etag));
}

/** Returns a weak entity tag of a body: the same record has the same tag, whatever its content coding is. */
export function weakEtag(body: string): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}
