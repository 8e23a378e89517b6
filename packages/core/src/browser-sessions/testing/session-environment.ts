/** The services of browser sessions on a test database, with key pairs derived from labels. */
import { createHash } from 'node:crypto';
import type { BrowserSession, IdentityProof, Permission } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import {
  identityMessage,
  nobleEngine,
  publicKeyOf,
  signMessage,
  signRequest,
} from '@trading-automation/signed-request';
import {
  Authentication,
  type CredentialLimits,
  CredentialLookup,
  IdentityService,
  type IncomingRequest,
  LastUsedRecorder,
} from '../../access/index.js';
import type { Actor } from '../../operations/index.js';
import { CoreUnderTest } from '../../testing/index.js';
import { BrowserSessionsService } from '../browser-sessions.service.js';
import { DeviceAuthorizationsService } from '../device-authorizations.service.js';

export const ADDRESS = '192.0.2.7';

const UNLIMITED: CredentialLimits = {
  noteCaller: () => undefined,
  takeTokensByCaller: async () => undefined,
  takeWithNonce: async () => true,
};

export class SessionEnvironment {
  readonly sessions: BrowserSessionsService;
  readonly devices: DeviceAuthorizationsService;
  readonly identities: IdentityService;

  private constructor(readonly core: CoreUnderTest) {
    const { platform, commands, lists } = core;
    const dependencies = { platform, commands, lists, engine: nobleEngine };
    this.sessions = new BrowserSessionsService(dependencies);
    this.devices = new DeviceAuthorizationsService(dependencies);
    this.identities = new IdentityService({ ...dependencies, isRegistrationOpen: true });
  }

  static async open(): Promise<SessionEnvironment> {
    return new SessionEnvironment(await CoreUnderTest.open());
  }

  close(): Promise<void> {
    return this.core.close();
  }

  privateKey(label: string): Uint8Array {
    return createHash('sha256').update(label).digest();
  }

  /** Returns a new challenge, signed by the key pair of the label. */
  async proof(label: string): Promise<IdentityProof> {
    const { challenge } = await this.identities.challenge({});
    const pubkey = publicKeyOf(this.privateKey(label));
    const signature = signMessage(identityMessage(challenge, pubkey), this.privateKey(label));
    return { challenge, pubkey, signature };
  }

  /** Stores an API key and returns its actor. @param set SQL assignments that change the key */
  async apiKey(
    permissions: readonly Permission[] = ['ADMIN'],
    set?: string,
    userId?: string,
  ): Promise<Actor> {
    const owner = userId ?? (await this.core.actor()).userId;
    const id = newUuid();
    await this.core.rows(
      `INSERT INTO api_keys (id, user_id, name, prefix, last_four, hash, permissions, ip_allowlist)
       VALUES ($1, $2, 'approver', 'svc_test_', 'abcd', $3, $4, '{}')`,
      id,
      owner,
      createHash('sha256').update(id).digest(),
      permissions,
    );
    if (set !== undefined) await this.core.rows(`UPDATE api_keys SET ${set} WHERE id = $1`, id);
    return { userId: owner, credential: { kind: 'api_key', id, permissions } };
  }

  /** Opens a session of the label's key pair. */
  async session(label: string, actor: Actor): Promise<BrowserSession> {
    const proof = await this.proof(label);
    return this.sessions.create(actor, { client_name: label, ...proof }, ADDRESS);
  }

  /** Returns the actor of the label's session, as a signed request would. */
  async actorOf(label: string): Promise<Actor> {
    return (await this.signIn(label)).actor;
  }

  /** Authenticates a signed request of the label's key pair with a process of its own, without a cache. */
  async signIn(label: string, options: Partial<SignInRequest> = {}): Promise<{ readonly actor: Actor }> {
    const { platform } = this.core;
    const authentication = new Authentication({
      platform,
      engine: nobleEngine,
      lookup: new CredentialLookup(platform),
      lastUsed: new LastUsedRecorder(platform),
    });
    const actor = await authentication.authenticate(this.incoming(label, options), UNLIMITED);
    return { actor: actor! };
  }

  /** Returns a signed request of the label's key pair. */
  incoming(
    label: string,
    { method = 'GET', headers = [], address = ADDRESS }: Partial<SignInRequest> = {},
  ): IncomingRequest {
    const target = '/v1/me';
    const signature = signRequest({ method, path: target, privateKey: this.privateKey(label) });
    const rawHeaders = [...Object.entries(signature).flat(), ...headers];
    return { method, target, rawHeaders, body: new Uint8Array(), address };
  }

  /** Changes the row of the label's session. @param set SQL assignments */
  async change(label: string, set: string): Promise<void> {
    const pubkey = publicKeyOf(this.privateKey(label));
    await this.core.rows(`UPDATE browser_sessions SET ${set} WHERE pubkey = $1`, pubkey);
  }
}

interface SignInRequest {
  readonly method: string;
  readonly headers: readonly string[];
  readonly address: string;
}
