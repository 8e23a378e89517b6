/** Derives the client order id of a copy. A unique index rejects a second order with the same id. */
import { createHash } from 'node:crypto';
import type { SignalKind } from '@trading-automation/contracts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** 160 bits make collisions practically impossible. */
const BYTES = 20;

export interface CopyIdentity {
  readonly copierId: string;
  /** The trade that opened the leader's lot. */
  readonly lotTradeId: string;
  readonly sequence: number;
  readonly intent: SignalKind;
  /**
   * 1 for the first order of a decision. The next order is placed only after the previous one is proven to have ended.
   */
  readonly attempt: number;
}

/** Returns 32 characters of base32. Planning the same copy again, after a crash or concurrently, yields the same id. */
export function clientOrderIdOf({ copierId, lotTradeId, sequence, intent, attempt }: CopyIdentity): string {
  const digest = createHash('sha256')
    .update([copierId, lotTradeId, sequence, intent, attempt].join('/'))
    .digest();
  let id = '';
  let bits = 0;
  let bitsHeld = 0;
  for (const byte of digest.subarray(0, BYTES)) {
    bits = (bits << 8) | byte;
    bitsHeld += 8;
    for (; bitsHeld >= 5; bits &= (1 << bitsHeld) - 1) {
      bitsHeld -= 5;
      id += ALPHABET[bits >> bitsHeld];
    }
  }
  return id;
}
