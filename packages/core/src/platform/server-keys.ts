import { z } from 'zod';

const SERVER_KEY_BYTES = 32;

/** Keys of 32 bytes each. The first one encrypts and signs new values; the others only read older values. */
export type ServerKeys = readonly [Uint8Array, ...Uint8Array[]];

/** The schema of an environment variable with the keys in base64url, separated by commas. */
export const serverKeysSetting = z.string().transform((text, context): ServerKeys => {
  const texts = text.split(',').map((item) => item.trim());
  const [first, ...others] = texts
    .filter((item) => item !== '')
    .map((item) => Buffer.from(item, 'base64url'));
  if (first !== undefined && [first, ...others].every(({ length }) => length === SERVER_KEY_BYTES))
    return [first, ...others];
  context.addIssue({
    code: 'custom',
    message: `expected keys of ${SERVER_KEY_BYTES} bytes in base64url, separated by commas`,
  });
  return z.NEVER;
});
