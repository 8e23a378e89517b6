/**
 * Removes interim responses (1xx) from the bytes of a connection before the HTTP client parses them.
 *
 * A server may send any number of interim responses before the final one, even if the client expects none (RFC 9110,
 * section 15.2). The HTTP client treats `100 Continue` as an invalid response, so some receivers could never succeed.
 */
import type { Socket } from 'node:net';
import { OutboundError } from './outbound-errors.js';

/** The status line of an interim response, up to the digits of its status. */
const INTERIM = /^HTTP\/1\.[01] 1\d\d[ \r\n]/;
const UPGRADE = /^HTTP\/1\.[01] 101[ \r\n]/;
/** The shortest start of a response from which its status is known. */
const STATUS_BYTES = 13;
/** A start that may become an interim response once more bytes arrive. */
const POSSIBLY_INTERIM = 'HTTP/1.';
const HEAD_END = '\r\n\r\n';

export class InterimResponses {
  /** Bytes of the head of a response whose status is not known yet, or of an interim response that is not complete. */
  private held: Buffer = Buffer.alloc(0);
  private isBeforeResponse = true;

  /** @param headMaxBytes an interim response with a longer head is left to the HTTP client, which rejects it */
  constructor(
    private readonly socket: Socket,
    private readonly headMaxBytes: number,
  ) {
    const read = socket.read.bind(socket);
    // The HTTP client reads with `socket.read()` only.
    socket.read = (size?: number) => this.next(() => read(size));
  }

  /** Call it before each request, so that the interim responses to it are removed as well. */
  expectResponse(): void {
    this.isBeforeResponse = true;
  }

  private next(read: () => Buffer | null): Buffer | null {
    for (;;) {
      const chunk = read();
      if (chunk === null || !this.isBeforeResponse) return chunk;
      this.held = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
      if (this.dropInterimResponses()) continue;
      this.isBeforeResponse = false;
      const bytes = this.held;
      this.held = Buffer.alloc(0);
      return bytes;
    }
  }

  /** Returns whether more bytes are needed. Otherwise, the held bytes begin with the final response. */
  private dropInterimResponses(): boolean {
    for (;;) {
      const start = this.held.toString('latin1', 0, STATUS_BYTES);
      if (start.length < STATUS_BYTES)
        return start.startsWith(POSSIBLY_INTERIM) || POSSIBLY_INTERIM.startsWith(start);
      if (UPGRADE.test(start)) {
        this.socket.destroy(new OutboundError('unexpected_upgrade'));
        return true;
      }
      if (!INTERIM.test(start)) return false;
      const end = this.held.indexOf(HEAD_END);
      if (end === -1) return this.held.length < this.headMaxBytes;
      this.held = this.held.subarray(end + HEAD_END.length);
    }
  }
}
