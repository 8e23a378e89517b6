/** The name of a copy at its exchange and in the index that lets it exist once. */
import { createHash } from 'node:crypto';
import type { SignalKind } from '@trading-automation/contracts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** 160 bits: as good as none ever meet. */
const BYTES = 20;

export interface CopyIdentity {
  readonly copierId: string;
  /** The trade that opened the leader's lot. */
  readonly lotTradeId: string;
  readonly sequence: number;
  readonly intent: SignalKind;
  /** 1 for the first order of a decision; a further one is made only once the one before is proven to have ended. */
  readonly attempt: number;
}

/** 32 characters of base32: whoever plans the same copy again, after a crash or at once, gets the same. */
export function clientOrderIdOf({ copierId, lotTradeId, sequence, intent, attempt }: CopyIdentity): string {
  const digest = createHash('sha256')
    .update([copierId, lotTradeId, sequence, intent, attempt].join('/'))
    .digest();
  let text = '';
  let bits = 0;
  let bitsHeld = 0;
  for (const byte of digest.subarray(0, BYTES)) {
    bits = (bits << 8) | byte;
    bitsHeld += 8;
    for (; bitsHeld >= 5; bits &= (1 << bitsHeld) - 1) {
      bitsHeld -= 5;
      text += ALPHABET[bits >> bitsHeld];
    }
  }
  return text;
}
