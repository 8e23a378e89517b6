import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';
import type Provider from 'oidc-provider';

export const CLIENT = 'client-of-the-test';
const REDIRECT_URI = 'https://app.example.com/callback';
const COOKIE_KEYS = [createHash('sha256').update('cookies of the provider').digest('hex')];

export interface ProviderUser {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean | string;
}

export interface FlowOptions {
  readonly nonce?: string;
}

interface SigningKey {
  readonly kid: string;
  readonly alg: 'RS256' | 'ES256';
  readonly privateKey: KeyObject;
}

/** A local OpenID Connect provider with one user. It runs `oidc-provider`, a certified implementation. */
export class LocalProvider {
  /** Number of requests by path. */
  readonly requestCounts: Record<string, number> = {};
  /** Responds instead of the provider. Returns false to let the provider respond. */
  override: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  private provider!: Provider;
  private key!: SigningKey;

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
    private readonly person: ProviderUser,
    private readonly Provider: ProviderClass,
  ) {}

  static async start(person: ProviderUser): Promise<LocalProvider> {
    const server = createServer((request, response) => local.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const local = new LocalProvider(
      server,
      issuer,
      person,
      await quietly(async () => (await import('oidc-provider')).default),
    );
    await local.useKey('first', 'RS256');
    return local;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Replaces the signing key with a new one, and publishes only the new one. */
  async useKey(kid: string, alg: SigningKey['alg']): Promise<void> {
    const { privateKey } =
      alg === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.key = { kid, alg, privateKey };
    const jwk = { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' };
    this.provider = await quietly(async () => new this.Provider(this.issuer, this.configuration(jwk)));
  }

  /** Returns the ID token of a real sign-in: authorization code flow with PKCE. */
  async idToken({ nonce }: FlowOptions = {}): Promise<string> {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: CLIENT,
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'openid email',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(nonce === undefined ? {} : { nonce }),
    });
    const code = await this.signInAsPerson(`${this.issuer}/auth?${query}`);
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: CLIENT,
        grant_type: 'authorization_code',
        redirect_uri: REDIRECT_URI,
        code,
        code_verifier: verifier,
      }),
    });
    const { id_token } = (await response.json()) as { id_token: string };
    return id_token;
  }

  /** Signs any claims with the provider's current key. */
  sign(claims: JWTPayload, header: Record<string, string> = {}): Promise<string> {
    const { alg, kid, privateKey } = this.key;
    return new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
  }

  /** Returns the public half of the signing key, as SPKI in PEM. */
  publicKeyPem(): string {
    return createPublicKey(this.key.privateKey).export({ type: 'spki', format: 'pem' }).toString();
  }

  /** Like a browser, follows redirects and stores cookies until it is redirected to the client. */
  private async signInAsPerson(start: string): Promise<string> {
    const cookies = new Map<string, string>();
    for (let url = start; ; ) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const set of response.headers.getSetCookie()) {
        const [name = '', value = ''] = set.split(';')[0]!.split('=');
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`no redirect: ${response.status} ${await response.text()}`);
      const next = new URL(location, this.issuer);
      const code = next.searchParams.get('code');
      if (code !== null) return code;
      url = next.href;
    }
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const path = String(request.url).split('?')[0]!;
    this.requestCounts[path] = (this.requestCounts[path] ?? 0) + 1;
    if (this.override?.(request, response)) return;
    if (!path.startsWith('/person/')) {
      this.provider.callback()(request, response);
      return;
    }
    const result = { login: { accountId: this.person.id } };
    this.provider.interactionFinished(request, response, result).catch((error) => response.destroy(error));
  }

  private configuration(jwk: object): Record<string, unknown> {
    const { id, email, emailVerified } = this.person;
    return {
      jwks: { keys: [jwk] },
      clients: [
        {
          client_id: CLIENT,
          token_endpoint_auth_method: 'none',
          redirect_uris: [REDIRECT_URI],
          response_types: ['code'],
          grant_types: ['authorization_code'],
          id_token_signed_response_alg: this.key.alg,
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      // Like the large providers, includes the claims of the scopes in the ID token.
      conformIdTokenClaims: false,
      cookies: { keys: COOKIE_KEYS },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/person/${uid}` },
      findAccount: () => ({
        accountId: id,
        claims: () => ({ sub: id, email, email_verified: emailVerified }),
      }),
      // The user consents to everything.
      loadExistingGrant: async () => {
        const grant = new this.provider.Grant({ accountId: id, clientId: CLIENT });
        grant.addOIDCScope('openid email');
        await grant.save();
        return grant;
      },
      ttl: { IdToken: 3600, AccessToken: 3600, Session: 3600, Interaction: 600, Grant: 3600 },
    };
  }
}

type ProviderClass = typeof Provider;

/** Silences warnings of `oidc-provider` about in-memory storage and the Node.js version: tests can ignore them. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { warn, info } = console;
  Object.assign(console, { warn: () => undefined, info: () => undefined });
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}
