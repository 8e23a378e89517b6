/** The used part of a provider's discovery document (OpenID Connect Discovery 1.0): the URL of its keys. */
import { z } from 'zod';

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/** Returns the URL of the keys, or null if the document is of another issuer or an https issuer has an http URL. */
export function jwksUriIn(document: unknown, issuer: string): URL | null {
  const said = discoverySchema.safeParse(document);
  if (!said.success || said.data.issuer !== issuer) return null;
  const url = new URL(said.data.jwks_uri);
  return issuer.startsWith('https:') && url.protocol !== 'https:' ? null : url;
}
