import { Resolver } from '@nestjs/graphql';
import { PasskeySignInService } from '@trading-automation/core/sign-in';
import { type DeprecatedCall, DeprecatedMutation, requireActor } from '../graphql/deprecated-mutation.js';
import { viewSignedIn } from './sign-in.resolver.js';

/** Resolves the deprecated mutations of passkeys. */
@Resolver()
export class PasskeysResolver {
  constructor(private readonly passkeys: PasskeySignInService) {}

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
}
