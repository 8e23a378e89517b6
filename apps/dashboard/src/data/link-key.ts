/** Links key pairs to the account of this session. A private key is never sent. */
import { generatePrivateKey, type Signer, signChallenge } from '@trading-automation/sdk/signer';
import { api } from './api';

export { readKeyFile } from './create-account';

/** Makes a private key, in the form of a key file. */
export const newKeyFile = (): string =>
  Array.from(generatePrivateKey(), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Proves with a signature that this page has the private key, and links the public key. */
export async function linkPublicKey(signer: Signer, label: string): Promise<void> {
  const { challenge } = await api().auth.cliChallenge({ pubkey: signer.publicKey });
  await api().auth.cliIdentity({
    ...(await signChallenge(challenge, signer)),
    ...(label === '' ? {} : { label }),
  });
}
