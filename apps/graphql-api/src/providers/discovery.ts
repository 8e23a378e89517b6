/** What is taken of a provider's discovery document (OpenID Connect Discovery 1.0): where its keys are. */
import { z } from 'zod';

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/** Null where the document is not this issuer's, or would have keys of an https issuer fetched in the clear. */
export function jwksUriIn(document: unknown, issuer: string): URL | null {
  const said = discoverySchema.safeParse(document);
  if (!said.success || said.data.issuer !== issuer) return null;
  const url = new URL(said.data.jwks_uri);
  return issuer.startsWith('https:') && url.protocol !== 'https:' ? null : url;
}
