import { Resolver } from '@nestjs/graphql';
import { DomainError } from '@trading-automation/contracts';
import {
  PasswordSignInService,
  ProviderSignInService,
  SignInRequests,
  type SignInResult,
} from '@trading-automation/core/sign-in';
import { type DeprecatedCall, DeprecatedMutation } from '../graphql/deprecated-mutation.js';
import { ProviderIdentities } from '../providers/provider-identities.js';
import { tokenFieldsOf } from './sessions.resolver.js';

/** `access_token` is accepted by the schema and ignored: a token may have been issued to another app. */
interface XAuthArguments {
  readonly access_token?: string | null;
  readonly code?: string | null;
  readonly code_verifier?: string | null;
  readonly redirect_uri?: string | null;
}

type IdTokenCall = DeprecatedCall<{ readonly id_token: string; readonly nonce?: string | null }>;

/**
 * Resolves the deprecated sign-in mutations, except those of passkeys. Their snake_case names were published before the schema had a naming
 * convention.
 */
@Resolver()
export class SignInResolver {
  constructor(
    private readonly passwords: PasswordSignInService,
    private readonly requests: SignInRequests,
    private readonly identities: ProviderIdentities,
    private readonly providers: ProviderSignInService,
  ) {}

  @DeprecatedMutation('PUBLIC')
  async register({ args, address }: DeprecatedCall<{ readonly email: string; readonly password: string }>) {
    await this.requests.register(args, address);
    return null;
  }

  @DeprecatedMutation('PUBLIC')
  async request_password_reset({ args, address }: DeprecatedCall<{ readonly email: string }>) {
    await this.requests.requestPasswordReset(args.email, address);
    return { requested: true };
  }

  @DeprecatedMutation('PUBLIC')
  async login({ args, address }: DeprecatedCall<{ readonly email: string; readonly password: string }>) {
    return viewSignedIn(await this.passwords.login(args, address));
  }

  @DeprecatedMutation('PUBLIC')
  async google_auth({ actor, args }: IdTokenCall) {
    const identity = await this.identities.google({
      idToken: args.id_token,
      nonce: args.nonce ?? undefined,
    });
    return viewSignedIn(await this.providers.signIn(actor, identity));
  }

  @DeprecatedMutation('PUBLIC')
  async apple_auth({ actor, args }: IdTokenCall) {
    const identity = await this.identities.apple({ idToken: args.id_token, nonce: args.nonce ?? undefined });
    return viewSignedIn(await this.providers.signIn(actor, identity));
  }

  @DeprecatedMutation('PUBLIC')
  async x_auth({ actor, args }: DeprecatedCall<XAuthArguments>) {
    const { code, code_verifier: codeVerifier, redirect_uri: redirectUri } = args;
    const identity = await this.identities.x({ code, codeVerifier, redirectUri });
    return viewSignedIn(await this.providers.signIn(actor, identity));
  }

  @DeprecatedMutation('PUBLIC')
  async telegram_auth({ actor, args }: DeprecatedCall<{ readonly data: unknown }>) {
    const identity = await this.identities.telegram(stringFields(args.data));
    return viewSignedIn(await this.providers.signIn(actor, identity));
  }
}

/** Returns the fields of a sign-in: its tokens, or the ticket for the second factor. */
export function viewSignedIn(signedIn: SignInResult) {
  if (signedIn.kind === 'tokens')
    return {
      tokens: tokenFieldsOf(signedIn.tokens),
      is_2fa_required: false,
      ticket: null,
      ticket_expires_at: null,
    };
  const { ticket, expiresAt } = signedIn;
  return { tokens: null, is_2fa_required: true, ticket, ticket_expires_at: expiresAt };
}

/** Converts the fields of the login widget to strings, because Telegram computes the hash over strings. */
function stringFields(data: unknown): Record<string, string> {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new DomainError('validation_failed', undefined, [
      {
        field: 'data',
        code: 'invalid_type',
        message: 'Expected an object with the fields of the login widget.',
      },
    ]);
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value)]));
}
