/**
 * One WebSocket of a client, as the protocol library takes it.
 *
 * 1. A message waits while the client has more than `ROOM_BYTES` to take: its source is asked for no more meanwhile, and
 *    nothing that the client sends is read, so that no answer queues either.
 * 2. A client that takes nothing for `STALL_MS` while something waits is closed with 4410.
 * 3. A client that answers no ping until the next one is closed with 4408. None is sent while the client is behind: its
 *    answer would not be read.
 */
import type { WebSocket } from 'ws';
import { SharedResult } from './shared-results.js';

export interface SocketTiming {
  readonly pingMs: number;
  readonly stallMs: number;
  /** How long a closed socket may take to say goodbye. */
  readonly lingerMs: number;
}

export const SOCKET_TIMING: SocketTiming = { pingMs: 12_000, stallMs: 5_000, lingerMs: 2_000 };
export const CLOSE_CODES = { silent: 4408, tooSlow: 4410, tooMany: 4411, ended: 4412 } as const;
const BUFFERED_MAX_BYTES = 65_536;

/** How often is looked whether a client that is behind has taken something. */
const STALL_CHECKS = 10;
const DONE = Promise.resolve();
const noop = () => undefined;

export class ClientSocket {
  private readonly pinging: NodeJS.Timeout;
  private isAnswered = true;
  private watching: NodeJS.Timeout | undefined;
  /** Messages that the system took after they had waited. */
  private flushedCount = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly timing: SocketTiming,
  ) {
    this.pinging = setInterval(() => this.ping(), timing.pingMs);
    socket.on('pong', () => {
      this.isAnswered = true;
    });
    socket.once('close', () => {
      clearInterval(this.pinging);
      clearInterval(this.watching);
    });
  }

  /** Calls back once the socket is closed; at once where it is. */
  onClose(then: () => void): void {
    if (this.socket.readyState === this.socket.CLOSED) then();
    else this.socket.once('close', then);
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Resolves once there is room for the next message; at once where nothing will be sent any more. */
  send(message: string): Promise<void> {
    if (!this.isOpen) return DONE;
    const text = SharedResult.replacePlaceholder(message);
    if (this.socket.bufferedAmount + text.length <= BUFFERED_MAX_BYTES) {
      this.socket.send(text, noop);
      return DONE;
    }
    this.watching ??= this.watchForStall();
    // Called once it is with the system, or never will be.
    return new Promise((resolve) =>
      this.socket.send(text, () => {
        this.flushedCount++;
        this.stopStallTimerIfDrained();
        resolve();
      }),
    );
  }

  close(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.socket.resume();
    this.socket.close(code, reason);
    const cut = setTimeout(() => this.socket.terminate(), this.timing.lingerMs);
    this.socket.once('close', () => clearTimeout(cut));
  }

  private watchForStall(): NodeJS.Timeout {
    this.socket.pause();
    let seen = { buffered: Number.POSITIVE_INFINITY, taken: this.flushedCount };
    let looksInVain = 0;
    return setInterval(() => {
      const now = { buffered: this.socket.bufferedAmount, taken: this.flushedCount };
      if (this.stopStallTimerIfDrained()) return;
      const isMoving = now.buffered < seen.buffered || now.taken > seen.taken;
      looksInVain = isMoving ? 0 : looksInVain + 1;
      seen = now;
      if (looksInVain >= STALL_CHECKS) this.close(CLOSE_CODES.tooSlow, 'Too slow');
    }, this.timing.stallMs / STALL_CHECKS);
  }

  private stopStallTimerIfDrained(): boolean {
    if (this.socket.bufferedAmount > BUFFERED_MAX_BYTES) return false;
    clearInterval(this.watching);
    this.watching = undefined;
    this.isAnswered = true;
    this.socket.resume();
    return true;
  }

  private ping(): void {
    if (!this.isOpen || this.watching !== undefined) return;
    if (!this.isAnswered) {
      this.close(CLOSE_CODES.silent, 'No pong');
      return;
    }
    this.isAnswered = false;
    this.socket.ping();
  }
}
