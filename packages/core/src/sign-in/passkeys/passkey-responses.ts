/**
 * Schemas of a browser's WebAuthn responses (Level 3, the JSON form of a credential). They limit the size of the
 * members that the product reads, and drop all other members.
 */
import { z } from 'zod';

const base64url = (maxCharacters: number) =>
  z
    .string()
    .regex(/^[\w-]+$/, 'expected base64url')
    .max(maxCharacters);

/** At most 1,023 bytes. */
const credentialId = base64url(1_364);
const clientData = base64url(8_192);
const transports = z.array(z.string().regex(/^[a-z-]{1,32}$/)).max(10);

const credential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
};

export const registrationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: clientData,
    attestationObject: base64url(65_536),
    transports: transports.default([]),
  }),
});

export const authenticationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: clientData,
    authenticatorData: base64url(4_096),
    signature: base64url(8_192),
    /** Identifies the user. Always present, because the sign-in options do not name a user. */
    userHandle: base64url(128),
  }),
});

const clientDataSchema = z.object({ challenge: base64url(128), crossOrigin: z.boolean().optional() });

/**
 * Returns the challenge that the response claims to answer, without verifying the claim. Returns null if the response
 * contains no challenge or was created in a cross-origin frame.
 */
export function challengeIn({ response }: { response: { clientDataJSON: string } }): string | null {
  try {
    const clientDataClaims = clientDataSchema.parse(
      JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()),
    );
    return clientDataClaims.crossOrigin === true ? null : clientDataClaims.challenge;
  } catch {
    return null;
  }
}
