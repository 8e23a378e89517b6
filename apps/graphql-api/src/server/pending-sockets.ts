/**
 * Limits the sockets of a network that have not authenticated yet, in this process: each holds memory until its handshake
 * times out, and no credential is charged for it.
 */
import { addressGroup } from '@trading-automation/core/access';

/** Maximum number of pending sockets per IPv4 address, or per /64 network of IPv6. */
const PENDING_SOCKETS_MAX = 20;

export class PendingSockets {
  private readonly counts = new Map<string, number>();

  /** Counts a socket. Returns a function that releases it, which may be called again; null at the limit. */
  claim(address: string): (() => void) | null {
    const group = addressGroup(address);
    const count = this.counts.get(group) ?? 0;
    if (count >= PENDING_SOCKETS_MAX) return null;
    this.counts.set(group, count + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const rest = this.counts.get(group)! - 1;
      if (rest === 0) this.counts.delete(group);
      else this.counts.set(group, rest);
    };
  }
}
