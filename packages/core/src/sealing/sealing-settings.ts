/** Reads sealing keys from environment variables, as `<id>.<key>`. */
import { z } from 'zod';

const ID = '[0-9a-f]{16}';
const KEY = '[\\w-]+';

/** Reads the recipient's public key: `<id>.<public key>`. */
export const sealingKeySetting = z
  .string()
  .regex(new RegExp(`^${ID}\\.${KEY}$`), 'expected <id>.<public key>')
  .transform((text) => {
    const [id = '', publicKey = ''] = text.split('.');
    return { id, publicKey };
  });

/** Reads the private keys that open sealed boxes: `<id>.<private key>`, separated by commas, with the current key first. */
export const openingKeysSetting = z
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
  );
