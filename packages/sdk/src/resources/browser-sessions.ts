import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  BrowserSession,
  BrowserSessionCreate,
  BrowserSessionsListQuery,
  Deleted,
  RevokedSessions,
} from '../generated/records.js';

/** The open browser sessions of your account. */
export class BrowserSessions<D extends DecimalForm> extends Resource<D> {
  /**
   * Opens a session with the permissions of the client's credential. The key pair of the proof signs its requests.
   *
   * @example
   * import { createSigner, generatePrivateKey, signChallenge } from '@trading-automation/sdk/signer';
   *
   * const signer = createSigner(generatePrivateKey());
   * const { challenge } = await client.auth.cliChallenge();
   * const proof = await signChallenge(challenge, signer);
   * await client.browserSessions.create({ ...proof, client_name: 'dashboard' });
   */
  create(body: BrowserSessionCreate, options?: RequestOptions): ApiPromise<BrowserSession> {
    return this.operations.call('browserSessions.create', { body }, options);
  }

  /**
   * Lists the open sessions.
   *
   * @example
   * for await (const { client_name, last_used_at } of client.browserSessions.list()) console.log(client_name, last_used_at);
   */
  list(query: BrowserSessionsListQuery = {}, options?: RequestOptions): PagePromise<BrowserSession> {
    return this.operations.list('browserSessions.list', { query }, options);
  }

  /**
   * Ends a session immediately.
   *
   * @example
   * await client.browserSessions.revoke(browserSessionId);
   */
  revoke(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.operations.call('browserSessions.revoke', { params: { id } }, options);
  }

  /**
   * Ends all sessions immediately.
   *
   * @example
   * const { revoked } = await client.browserSessions.revokeAll();
   */
  revokeAll(options?: RequestOptions): ApiPromise<RevokedSessions> {
    return this.operations.call('browserSessions.revokeAll', {}, options);
  }
}
