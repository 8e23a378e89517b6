/** The members of a provider's discovery document (OpenID Connect Discovery 1.0) that sign-in uses. */
import { z } from 'zod';

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/**
 * Returns the URL of the provider's keys. Returns null if the document is invalid or names another issuer, or if an
 * issuer with an https URL publishes its keys at an http URL.
 */
export function jwksUriIn(document: unknown, issuer: string): URL | null {
  const parsed = discoverySchema.safeParse(document);
  if (!parsed.success || parsed.data.issuer !== issuer) return null;
  const url = new URL(parsed.data.jwks_uri);
  return issuer.startsWith('https:') && url.protocol !== 'https:' ? null : url;
}
