/** Checks the proof that a caller holds the private key of a public key: a signed challenge of this server. */
import { DomainError, type IdentityProof } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import {
  identityMessage,
  isValidPublicKey,
  type VerifyEngine,
  verifyMessage,
} from '@trading-automation/signed-request';

/**
 * Asserts that the public key is valid and has signed the challenge. The challenge itself is checked by
 * {@link consumeChallenge}.
 *
 * @throws {DomainError} `validation_failed` if the key is not a point of the curve; `invalid_signature`
 */
export function assertIdentityProof(
  { challenge, pubkey, signature }: IdentityProof,
  engine: VerifyEngine,
): void {
  if (!isValidPublicKey(pubkey)) {
    throw invalidField('pubkey', 'pubkey must be a compressed secp256k1 point in lower-case hex.');
  }
  const message = identityMessage(challenge, pubkey);
  if (verifyMessage({ message, signature, publicKey: pubkey }, engine)) return;
  throw new DomainError('invalid_signature', undefined, [
    {
      field: 'signature',
      code: 'invalid',
      message:
        'The signature does not match svc-cli-identity, challenge and pubkey. Sign the identity message with the private key of pubkey.',
    },
  ]);
}

/**
 * Deletes the challenge, which can be used once.
 *
 * @throws {DomainError} `validation_failed` if the challenge is unknown, used, expired or issued for another key
 */
export async function consumeChallenge(
  tx: Tx,
  { challenge, pubkey }: Pick<IdentityProof, 'challenge' | 'pubkey'>,
): Promise<void> {
  const [rows] = await tx.query(
    `DELETE FROM cli_challenges WHERE challenge = $1 AND expires_at > now() AND coalesce(pubkey, $2) = $2
     RETURNING challenge`,
    [challenge, pubkey],
  );
  if (rows.length === 1) return;
  throw invalidField(
    'challenge',
    'The challenge is unknown, used, expired or issued for another key. Request a new one.',
  );
}

function invalidField(field: string, message: string): DomainError {
  return new DomainError('validation_failed', undefined, [{ field, code: 'invalid', message }]);
}
