/**
 * One connection to one receiver. It connects to one of the checked addresses, carries one request at a time, and
 * limits the bytes that it reads for each attempt.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { EgressFirewall } from './egress-firewall.js';
import { InterimResponses } from './interim-responses.js';
import { errorCodeOf, OutboundError, reasonOf } from './outbound-errors.js';

export interface ConnectionOptions {
  readonly egressFirewall: EgressFirewall;
  /** How long the connection may stay idle until the next attempt. If 0, the connection serves only one attempt. */
  readonly idleMs: number;
  /** The trusted authorities and the TLS versions. All connections share it, because creating it is slow. */
  readonly secureContext: SecureContext;
}

interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

/** The time limit of connecting to one address, including the TLS handshake. */
const CONNECT_TIMEOUT_MS = 10_000;
/** The maximum number of addresses tried, because a name may have hundreds of addresses. */
const ADDRESSES_TRIED_MAX = 4;
const HEADERS_MAX_BYTES = 16 * 1024;
/** Limit of the bytes read for one attempt: status lines, 1xx responses, headers, chunk extensions and body. */
const WIRE_MAX_BYTES = 256 * 1024;
const BUFFER_BYTES = 16 * 1024;

/** What the connection waits for. */
type Phase = 'connect' | 'tls_handshake' | 'response';

export class Connection {
  private waitingFor: Phase = 'connect';
  private interimResponses: InterimResponses | undefined;
  private readonly client: Client;
  private socket: Socket | undefined;
  private remoteAddress: string | undefined;
  private addresses: readonly string[] = [];
  private readMaxBytes = WIRE_MAX_BYTES;
  private posts = 0;

  constructor(
    readonly url: URL,
    private readonly options: ConnectionOptions,
    private readonly onClose: (connection: Connection) => void,
  ) {
    const { idleMs } = options;
    this.client = new Client(url.origin, {
      connect: (to, callback) => this.open(to, callback),
      pipelining: idleMs > 0 ? 1 : 0,
      // The receiver's `Keep-Alive` header may shorten the idle time, but never extends it.
      keepAliveTimeout: Math.max(idleMs, 1),
      keepAliveMaxTimeout: Math.max(idleMs, 1),
      maxHeaderSize: HEADERS_MAX_BYTES,
      // Only the time limit of the attempt applies.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.client.on('disconnect', () => this.onClose(this));
  }

  /** The address of the receiver while the connection is open, otherwise undefined. */
  get address(): string | undefined {
    return this.socket?.destroyed === false && this.socket.readable ? this.remoteAddress : undefined;
  }

  /** What an attempt that ends now was waiting for. */
  get phase(): Phase {
    return this.waitingFor;
  }

  get isReused(): boolean {
    return this.posts > 1;
  }

  /**
   * Sends one request. If the connection closes before any byte is written, the request is sent on a new connection to
   * one of `addresses`. Once a byte was written, the request is never sent again.
   */
  post({ headers, body, signal }: Post, addresses: readonly string[]): Promise<Dispatcher.ResponseData> {
    this.addresses = addresses.slice(0, ADDRESSES_TRIED_MAX);
    this.readMaxBytes = (this.socket?.bytesRead ?? 0) + WIRE_MAX_BYTES;
    this.interimResponses?.expectResponse();
    this.posts++;
    return this.client.request({
      method: 'POST',
      path: `${this.url.pathname}${this.url.search}`,
      headers,
      body,
      signal,
      highWaterMark: BUFFER_BYTES,
    });
  }

  /** Closes the connection immediately, even while it is connecting. */
  destroy(): void {
    this.socket?.destroy();
    this.client.destroy().catch(() => undefined);
  }

  /** Tries the checked addresses one after another, until one accepts the connection. */
  private open(to: buildConnector.Options, callback: buildConnector.Callback): void {
    const tryFrom = (index: number): void => {
      const address = this.addresses[index] ?? '';
      this.openTo(address, to, (error, socket) => {
        if (error === null) {
          this.remoteAddress = address;
          this.limit(socket);
          callback(null, socket);
        } else if (index + 1 < this.addresses.length && isUnreachable(error)) tryFrom(index + 1);
        else callback(error, null);
      });
    };
    tryFrom(0);
  }

  private openTo(address: string, to: buildConnector.Options, callback: buildConnector.Callback): void {
    if (!this.options.egressFirewall.permits(address)) {
      callback(new OutboundError('blocked_address'), null);
      return;
    }
    const socket = this.connect(to, address);
    const isTls = to.protocol === 'https:';
    this.socket = socket;
    this.waitingFor = 'connect';
    if (isTls)
      socket.once('connect', () => {
        this.waitingFor = 'tls_handshake';
      });
    const timer = setTimeout(() => socket.destroy(this.connectTimeout()), CONNECT_TIMEOUT_MS);
    let isSettled = false;
    const settle = (error: Error | null) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      if (error === null) {
        this.waitingFor = 'response';
        callback(null, socket);
      } else
        callback(
          this.isClosedInHandshake(error) ? new OutboundError('closed_in_tls_handshake') : error,
          null,
        );
    };
    socket.once(isTls ? 'secureConnect' : 'connect', () => settle(null));
    socket.on('error', settle);
    socket.once('close', () => settle(new OutboundError('reset')));
  }

  private connectTimeout(): OutboundError {
    const isHandshake = this.waitingFor === 'tls_handshake';
    return new OutboundError(isHandshake ? 'tls_handshake_timeout' : 'connect_timeout');
  }

  private isClosedInHandshake(error: Error): boolean {
    return this.waitingFor === 'tls_handshake' && reasonOf(error) === 'reset';
  }

  private connect({ protocol, port }: buildConnector.Options, address: string): Socket {
    const { secureContext } = this.options;
    const common = {
      host: address,
      autoSelectFamily: false,
      noDelay: true,
      highWaterMark: BUFFER_BYTES,
    };
    if (protocol !== 'https:') return connectTcp({ ...common, port: Number(port || 80) });
    return connectTls({
      ...common,
      port: Number(port || 443),
      ...this.tlsServerName(),
      secureContext,
      ALPNProtocols: ['http/1.1'],
      // Set explicitly, so that no environment variable can disable it.
      rejectUnauthorized: true,
    });
  }

  /** Returns the name for SNI, so that the certificate must match the host name. An IP address has no SNI name. */
  private tlsServerName(): { servername?: string } {
    const name = this.url.hostname.replace(/\.$/, '');
    return isIP(name) !== 0 || name.startsWith('[') ? {} : { servername: name };
  }

  /** Limits all bytes read. The parser limits only headers, not 1xx responses, chunk extensions and white space. */
  private limit(socket: Socket): void {
    this.readMaxBytes = WIRE_MAX_BYTES;
    this.interimResponses = new InterimResponses(socket, HEADERS_MAX_BYTES);
    socket.on('readable', () => {
      if (socket.bytesRead > this.readMaxBytes) socket.destroy(new OutboundError('response_too_large'));
    });
  }
}

function isUnreachable(error: Error): boolean {
  return ['connect_refused', 'connect_timeout'].includes(errorCodeOf(error));
}
