/**
 * Sends the messages of the protocol library to one client over its WebSocket.
 *
 * 1. A message waits while more than `BUFFERED_MAX_BYTES` are unsent. While it waits, neither its source nor messages
 *    of the client are read, so that no responses queue up.
 * 2. A client that accepts no data for `stallMs` while a message waits is closed with 4410.
 * 3. A client that does not answer a ping before the next one is closed with 4408. No ping is sent while messages wait,
 *    because its pong would not be read.
 */
import type { WebSocket } from 'ws';
import { SharedResult } from './shared-results.js';

export interface SocketTiming {
  readonly pingMs: number;
  readonly stallMs: number;
  /** Time that a client has to complete the closing handshake. */
  readonly lingerMs: number;
}

export const SOCKET_TIMING: SocketTiming = { pingMs: 12_000, stallMs: 5_000, lingerMs: 2_000 };
export const CLOSE_CODES = { silent: 4408, tooSlow: 4410, tooMany: 4411, ended: 4412 } as const;
const BUFFERED_MAX_BYTES = 65_536;

/** How often, per `stallMs`, the socket checks whether a slow client has accepted data. */
const STALL_CHECKS = 10;
const DONE = Promise.resolve();
const noop = () => undefined;

export class ClientSocket {
  private readonly pinging: NodeJS.Timeout;
  private hasAnsweredPing = true;
  private stallTimer: NodeJS.Timeout | undefined;
  /** Number of messages that had to wait and have since been handed to the operating system. */
  private flushedCount = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly timing: SocketTiming,
  ) {
    // After a pause of the process, timers fire before pongs that have arrived are read; `setImmediate` fires after that.
    this.pinging = setInterval(() => setImmediate(() => this.ping()), timing.pingMs);
    socket.on('pong', () => {
      this.hasAnsweredPing = true;
    });
    socket.once('close', () => {
      clearInterval(this.pinging);
      clearInterval(this.stallTimer);
    });
  }

  /** Calls `onClosed` when the socket closes, or immediately if it is already closed. */
  onClose(onClosed: () => void): void {
    if (this.socket.readyState === this.socket.CLOSED) onClosed();
    else this.socket.once('close', onClosed);
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Resolves when the next message can be sent; immediately if the socket is closing. */
  send(message: string): Promise<void> {
    if (!this.isOpen) return DONE;
    const text = SharedResult.replacePlaceholder(message);
    if (this.socket.bufferedAmount + text.length <= BUFFERED_MAX_BYTES) {
      this.socket.send(text, noop);
      return DONE;
    }
    this.stallTimer ??= this.startStallTimer();
    // The callback runs when the message has been handed to the operating system, or when that failed.
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
    const timer = setTimeout(() => this.socket.terminate(), this.timing.lingerMs);
    this.socket.once('close', () => clearTimeout(timer));
  }

  private startStallTimer(): NodeJS.Timeout {
    this.socket.pause();
    let previous = { buffered: Number.POSITIVE_INFINITY, flushed: this.flushedCount };
    let stalledChecks = 0;
    return setInterval(() => {
      const now = { buffered: this.socket.bufferedAmount, flushed: this.flushedCount };
      if (this.stopStallTimerIfDrained()) return;
      const isAccepting = now.buffered < previous.buffered || now.flushed > previous.flushed;
      stalledChecks = isAccepting ? 0 : stalledChecks + 1;
      previous = now;
      if (stalledChecks >= STALL_CHECKS) this.close(CLOSE_CODES.tooSlow, 'Too slow');
    }, this.timing.stallMs / STALL_CHECKS);
  }

  private stopStallTimerIfDrained(): boolean {
    if (this.socket.bufferedAmount > BUFFERED_MAX_BYTES) return false;
    clearInterval(this.stallTimer);
    this.stallTimer = undefined;
    this.hasAnsweredPing = true;
    this.socket.resume();
    return true;
  }

  private ping(): void {
    if (!this.isOpen || this.stallTimer !== undefined) return;
    if (!this.hasAnsweredPing) {
      this.close(CLOSE_CODES.silent, 'No pong');
      return;
    }
    this.hasAnsweredPing = false;
    this.socket.ping();
  }
}
