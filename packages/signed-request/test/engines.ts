import { ENGINE_NAMES, openEngine } from '../src/index.js';

/** All three engines. On a machine that lacks one of them, every test file that imports this module fails. */
export const ENGINES = ENGINE_NAMES.map((name) => ({ name, engine: openEngine(name) }));

/** Replaces s by n − s: the other signature that ECDSA accepts for the same message. */
export function highSTwin(signature: Uint8Array): Uint8Array {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`);
  const twin = (order - s).toString(16).padStart(64, '0');
  return Uint8Array.from([...signature.subarray(0, 32), ...Buffer.from(twin, 'hex')]);
}
