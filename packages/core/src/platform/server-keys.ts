import { z } from 'zod';

const SERVER_KEY_BYTES = 32;
/** Fewer different bytes are not random: 32 random bytes have 20 or more. */
const DIFFERENT_BYTES_MIN = 16;

/** Keys of 32 bytes each. The first one encrypts and signs new values; the others only read older values. */
export type ServerKeys = readonly [Uint8Array, ...Uint8Array[]];

/** The schema of an environment variable with the keys in base64url, separated by commas. */
export const serverKeysSetting = z.string().transform((text, context): ServerKeys => {
  const texts = text.split(',').map((item) => item.trim());
  const [first, ...others] = texts
    .filter((item) => item !== '')
    .map((item) => Buffer.from(item, 'base64url'));
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (first === undefined || [first, ...others].some(({ length }) => length !== SERVER_KEY_BYTES))
    return refuse(`expected keys of ${SERVER_KEY_BYTES} bytes in base64url, separated by commas`);
  if (![first, ...others].every(isRandom))
    return refuse(`a key repeats its bytes; generate ${SERVER_KEY_BYTES} random bytes for each key`);
  return [first, ...others];
});

/** Returns whether bytes may be random: not all zero, and not one byte or a short sequence repeated. */
export function isRandom(bytes: Uint8Array): boolean {
  return new Set(bytes).size >= DIFFERENT_BYTES_MIN;
}
