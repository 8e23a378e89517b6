import { Resolver } from '@nestjs/graphql';
import { type IssuedTokens, SecondFactorService, SessionsService } from '@trading-automation/core/sign-in';
import { type DeprecatedCall, DeprecatedMutation, requireActor } from '../graphql/deprecated-mutation.js';

/** The second factor and the sessions of the deprecated sign-in. */
@Resolver()
export class SessionsResolver {
  constructor(
    private readonly secondFactor: SecondFactorService,
    private readonly sessions: SessionsService,
  ) {}

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
    return tokenFieldsOf(await this.secondFactor.verify(args.ticket, args.code));
  }

  @DeprecatedMutation('ADMIN')
  async disable_2fa(call: DeprecatedCall<{ readonly code: string }>) {
    await this.secondFactor.disable(requireActor(call), call.args.code);
    return { disabled: true };
  }

  @DeprecatedMutation('PUBLIC')
  async refresh_token({ args }: DeprecatedCall<{ readonly refresh_token: string }>) {
    return tokenFieldsOf(await this.sessions.refresh(args.refresh_token));
  }

  @DeprecatedMutation('READ')
  async logout(call: DeprecatedCall<unknown>) {
    await this.sessions.revoke(requireActor(call));
    return { ended: true };
  }
}

/** Returns tokens under the published snake_case field names of the deprecated mutations. */
export function tokenFieldsOf({
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
