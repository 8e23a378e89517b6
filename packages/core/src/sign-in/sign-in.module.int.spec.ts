import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import { EmailVerificationService } from '../access/index.js';
import { CommandRunner } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { PasswordSignInService, SessionsService, SignInModule } from './index.js';
import { deriveKey } from './testing/sign-in-under-test.js';

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());

/** The services of the module, created by Nest from their dependencies, as in an application. */
function services(): Map<InjectionToken, unknown> {
  const { platform, commands } = core;
  class Application {}
  const { providers = [], exports = [] } = SignInModule.with({
    access: { module: Application },
    serverKeys: [deriveKey('server key')],
    issuer: () => 'https://graphql.example.com',
    openRegistration: true,
    passkeys: undefined,
  });
  const instances = new Map<InjectionToken, unknown>([
    [Platform, platform],
    [CommandRunner, commands],
    [
      EmailVerificationService,
      new EmailVerificationService({ platform, commands, publicUrl: () => 'https://api.example.com' }),
    ],
  ]);
  const make = (token: InjectionToken): unknown => {
    if (instances.has(token)) return instances.get(token);
    const provider = (providers as FactoryProvider[]).find(({ provide }) => provide === token);
    if (provider === undefined) throw new Error(`nothing provides ${String(token)}`);
    instances.set(
      token,
      provider.useFactory(...(provider.inject ?? []).map((each) => make(each as InjectionToken))),
    );
    return instances.get(token);
  };
  for (const token of exports) make(token as InjectionToken);
  return instances;
}

describe('the module', () => {
  it('provides each of its services with the providers of an API', () => {
    const instances = services();
    for (const [token, service] of instances) expect(service).toBeInstanceOf(token);
    expect(instances.has(SessionsService)).toBe(true);
  });

  it('signs a user in across its services', async () => {
    const instances = services();
    const passwords = instances.get(PasswordSignInService) as PasswordSignInService;
    const sessions = instances.get(SessionsService) as SessionsService;
    const { accessToken } = await passwords.register({
      email: 'a@example.com',
      password: 'correct horse battery',
    });
    await expect(sessions.verify(accessToken)).resolves.toMatchObject({ credential: { kind: 'session' } });
  });
});
