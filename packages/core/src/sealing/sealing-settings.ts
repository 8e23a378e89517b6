/** Schemas of environment variables with sealing keys, each as `<id>.<key>`. */
import { z } from 'zod';
import { isRandom } from '../platform/index.js';

const ID = '[0-9a-f]{16}';
const PRIVATE_KEY_BYTES = 32;
const KEY = '[\\w-]+';

/** The public key that seals: `<id>.<public key>`. */
export const publicKeySetting = z
  .string()
  .regex(new RegExp(`^${ID}\\.${KEY}$`), 'expected <id>.<public key>')
  .transform((text) => {
    const [id = '', publicKey = ''] = text.split('.');
    return { id, publicKey };
  });

/** The private keys that open sealed boxes: `<id>.<private key>`, separated by commas. The current key comes first. */
export const privateKeysSetting = z
  .string()
  .regex(
    new RegExp(`^${ID}\\.${KEY}(?:,${ID}\\.${KEY})*$`),
    'expected <id>.<private key>, several joined by commas',
  )
  .transform((text) =>
    text.split(',').map((entry) => {
      const [id = '', privateKey = ''] = entry.split('.');
      return { id, privateKey };
    }),
  )
  .refine((keys) => keys.every(({ privateKey }) => !repeatsItsBytes(privateKey)), {
    error: 'a private key repeats its bytes; generate a new key pair',
  });

/** Returns whether a complete key is zero or a repeated byte. Reading the keys checks everything else. */
function repeatsItsBytes(privateKey: string): boolean {
  const bytes = Buffer.from(privateKey, 'base64url');
  return bytes.length === PRIVATE_KEY_BYTES && !isRandom(bytes);
}
