import { Resolver } from '@nestjs/graphql';
import { DomainError } from '@trading-automation/contracts';
import {
  type IssuedTokens,
  PasskeySignInService,
  PasswordSignInService,
  ProviderSignInService,
  SecondFactorService,
  SessionsService,
  type SignInResult,
} from '@trading-automation/core/sign-in';
import { type DeprecatedCall, DeprecatedMutation, requireActor } from '../graphql/deprecated-mutation.js';
import { ProviderIdentities } from '../providers/provider-identities.js';

type IdToken = DeprecatedCall<{ readonly id_token: string; readonly nonce?: string | null }>;

/** The field names are those of the published list, which predates the schema's naming convention. */
@Resolver()
export class SignInResolver {
  constructor(
    private readonly passwords: PasswordSignInService,
    private readonly identities: ProviderIdentities,
    private readonly providers: ProviderSignInService,
    private readonly passkeys: PasskeySignInService,
    private readonly secondFactor: SecondFactorService,
    private readonly sessions: SessionsService,
  ) {}

  @DeprecatedMutation('PUBLIC')
  async register({ args }: DeprecatedCall<{ readonly email: string; readonly password: string }>) {
    return viewTokens(await this.passwords.register(args));
  }

  @DeprecatedMutation('PUBLIC')
  async login({ args }: DeprecatedCall<{ readonly email: string; readonly password: string }>) {
    return viewSignedIn(await this.passwords.login(args));
  }

  @DeprecatedMutation('PUBLIC')
  async google_auth({ actor, args }: IdToken) {
    const identity = await this.identities.google({
      idToken: args.id_token,
      nonce: args.nonce ?? undefined,
    });
    return viewSignedIn(await this.providers.signIn(actor, identity));
  }

  @DeprecatedMutation('PUBLIC')
  async apple_auth({ actor, args }: IdToken) {
    const identity = await this.identities.apple({ idToken: args.id_token, nonce: args.nonce ?? undefined });
    return viewSignedIn(await this.providers.signIn(actor, identity));
  }

  @DeprecatedMutation('PUBLIC')
  async x_auth({ actor, args }: DeprecatedCall<{ readonly access_token: string }>) {
    return viewSignedIn(await this.providers.signIn(actor, await this.identities.x(args.access_token)));
  }

  @DeprecatedMutation('PUBLIC')
  async telegram_auth({ actor, args }: DeprecatedCall<{ readonly data: unknown }>) {
    const identity = await this.identities.telegram(textFields(args.data));
    return viewSignedIn(await this.providers.signIn(actor, identity));
  }

  @DeprecatedMutation('ADMIN')
  passkey_registration_options(call: DeprecatedCall<unknown>) {
    return this.passkeys.registrationOptions(requireActor(call));
  }

  @DeprecatedMutation('ADMIN')
  async passkey_register(call: DeprecatedCall<{ readonly answer: unknown }>) {
    const { credentialId } = await this.passkeys.register(requireActor(call), call.args.answer);
    return { credential_id: credentialId };
  }

  @DeprecatedMutation('PUBLIC')
  passkey_login_options() {
    return this.passkeys.loginOptions();
  }

  @DeprecatedMutation('PUBLIC')
  async passkey_login({ args }: DeprecatedCall<{ readonly answer: unknown }>) {
    return viewSignedIn(await this.passkeys.login(args.answer));
  }

  @DeprecatedMutation('ADMIN')
  generate_2fa(call: DeprecatedCall<unknown>) {
    return this.secondFactor.generate(requireActor(call));
  }

  @DeprecatedMutation('ADMIN')
  async enable_2fa(call: DeprecatedCall<{ readonly code: string }>) {
    return { recovery_codes: await this.secondFactor.enable(requireActor(call), call.args.code) };
  }

  @DeprecatedMutation('PUBLIC')
  async verify_2fa_code({ args }: DeprecatedCall<{ readonly ticket: string; readonly code: string }>) {
    return viewTokens(await this.secondFactor.verify(args.ticket, args.code));
  }

  @DeprecatedMutation('ADMIN')
  async disable_2fa(call: DeprecatedCall<{ readonly code: string }>) {
    await this.secondFactor.disable(requireActor(call), call.args.code);
    return { disabled: true };
  }

  @DeprecatedMutation('PUBLIC')
  async refresh_token({ args }: DeprecatedCall<{ readonly refresh_token: string }>) {
    return viewTokens(await this.sessions.refresh(args.refresh_token));
  }

  @DeprecatedMutation('READ')
  async logout(call: DeprecatedCall<unknown>) {
    await this.sessions.revoke(requireActor(call));
    return { ended: true };
  }
}

function viewTokens({
  accessToken,
  accessTokenExpiresAt,
  refreshToken,
  refreshTokenExpiresAt,
}: IssuedTokens) {
  return {
    access_token: accessToken,
    access_token_expires_at: accessTokenExpiresAt,
    refresh_token: refreshToken,
    refresh_token_expires_at: refreshTokenExpiresAt,
  };
}

function viewSignedIn(signedIn: SignInResult) {
  if (signedIn.kind === 'tokens')
    return {
      tokens: viewTokens(signedIn.tokens),
      is_2fa_required: false,
      ticket: null,
      ticket_expires_at: null,
    };
  const { ticket, expiresAt } = signedIn;
  return { tokens: null, is_2fa_required: true, ticket, ticket_expires_at: expiresAt };
}

/** Converts the fields of the widget to strings, because its hash is computed over strings. */
function textFields(data: unknown): Record<string, string> {
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
