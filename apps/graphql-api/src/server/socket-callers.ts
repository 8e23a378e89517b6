/**
 * Authenticates the callers of WebSockets.
 *
 * A socket belongs to its credential. `connection_init` is signed for CONNECT /graphql and consumes its nonce. The
 * number of sockets of a credential, and of its user, is limited across all processes. When a credential ends, its sockets are closed
 * with 4412 within seconds.
 */
import type { IncomingMessage } from 'node:http';
import type { OnModuleDestroy } from '@nestjs/common';
import { DomainError } from '@trading-automation/contracts';
import type { Actor, Platform } from '@trading-automation/core';
import { CredentialWatch, type IncomingRequest } from '@trading-automation/core/access';
import { StreamLeases } from '@trading-automation/core/events';
import { GRAPHQL_PATH } from './endpoint-options.js';
import type { RequestAuthenticator } from './request-authenticator.js';
import { CLOSE_CODES, type ClientSocket } from './socket.js';

/** Maximum number of open sockets per credential. */
const SOCKETS_MAX = 5;
/** Credential parameters of a handshake. API keys are included so that they are rejected with a specific error. */
const CREDENTIAL_PARAMETERS = ['x-svc-pubkey', 'x-svc-timestamp', 'x-svc-nonce', 'x-svc-sig', 'x-api-key'];

export interface SocketCallersOptions {
  /** Returns the caller's IP address, as reported by a trusted proxy. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** How many sockets a user may have open with all credentials together. */
  readonly socketsPerUser: number;
}

export class SocketCallers implements OnModuleDestroy {
  readonly addressOf: SocketCallersOptions['addressOf'];
  private readonly watch: CredentialWatch;
  private readonly leases: StreamLeases;

  constructor(
    platform: Platform,
    private readonly authenticator: RequestAuthenticator,
    { addressOf, socketsPerUser }: SocketCallersOptions,
  ) {
    this.addressOf = addressOf;
    this.watch = new CredentialWatch(platform);
    this.leases = new StreamLeases(platform, {
      kind: 'sockets',
      max: SOCKETS_MAX,
      maxPerUser: socketsPerUser,
    });
  }

  /**
   * Authenticates a handshake and binds the socket to its credential until the socket closes.
   *
   * @throws {DomainError} if the credentials are missing or invalid, or have too many sockets
   */
  async authenticate(
    parameters: Readonly<Record<string, unknown>>,
    address: string,
    socket: ClientSocket,
  ): Promise<Actor> {
    const incoming = handshakeOf(parameters, address);
    const actor = await this.authenticator.identify(incoming, this.authenticator.limitsOf(address));
    if (actor === null) throw new DomainError('authentication_required');
    const releases: (() => unknown)[] = [];
    const release = () => {
      for (const releaseOne of releases.splice(0)) void releaseOne();
    };
    const end = () => socket.close(CLOSE_CODES.ended, 'Credential ended');
    socket.onClose(release);
    try {
      releases.push(await this.claim(actor, socket, end));
      releases.push(await this.watch.watch({ actor, incoming, access: 'READ' }, end));
      return actor;
    } finally {
      // The socket may have closed before the last `release` was added.
      if (!socket.isOpen) release();
    }
  }

  /** Charges an operation to the caller's credential. @throws {DomainError} `rate_limited` */
  async charge(actor: Actor, address: string): Promise<void> {
    await this.authenticator.limitsOf(address).takeTokensByCaller(actor);
  }

  /** Resolves once the leases of closed sockets are released. */
  async settled(): Promise<void> {
    await this.leases.settled();
  }

  onModuleDestroy(): void {
    this.watch.stop();
  }

  private async claim(actor: Actor, socket: ClientSocket, end: () => void): Promise<() => unknown> {
    try {
      return await this.leases.claim(actor, end);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'rate_limited')
        socket.close(CLOSE_CODES.tooMany, 'Too many sockets');
      throw error;
    }
  }
}

/** Returns the handshake as the request that was signed. */
export function handshakeOf(parameters: Readonly<Record<string, unknown>>, address: string): IncomingRequest {
  const rawHeaders = Object.entries(parameters).flatMap(([name, value]) =>
    CREDENTIAL_PARAMETERS.includes(name) ? [name, typeof value === 'string' ? value : ''] : [],
  );
  return { method: 'CONNECT', target: GRAPHQL_PATH, rawHeaders, body: new Uint8Array(), address };
}
