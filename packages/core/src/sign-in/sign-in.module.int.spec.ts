import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import { CommandRunner } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { CoreUnderTest } from '../testing/index.js';
import {
  PasswordSignInService,
  SessionsService,
  SignInLinksModule,
  SignInLinksService,
  SignInModule,
  SignInRequests,
} from './index.js';
import { deriveKey } from './testing/sign-in-under-test.js';

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());

/** Creates the services of the module from its providers, as Nest does in an application. */
function createServices(): Map<InjectionToken, unknown> {
  const { platform, commands } = core;
  class Application {}
  const modules = [
    SignInModule.with({
      access: { module: Application },
      serverKeys: [deriveKey('server key')],
      issuer: () => 'https://graphql.example.com',
      isRegistrationOpen: true,
      publicUrl: () => 'https://api.example.com',
      passkeys: undefined,
    }),
    SignInLinksModule.with({ isRegistrationOpen: true }),
  ];
  const providers = modules.flatMap((module) => module.providers ?? []);
  const exports = modules.flatMap((module) => module.exports ?? []);
  const instances = new Map<InjectionToken, unknown>([
    [Platform, platform],
    [CommandRunner, commands],
  ]);
  const resolve = (token: InjectionToken): unknown => {
    if (instances.has(token)) return instances.get(token);
    const provider = (providers as FactoryProvider[]).find(({ provide }) => provide === token);
    if (provider === undefined) throw new Error(`nothing provides ${String(token)}`);
    instances.set(
      token,
      provider.useFactory(
        ...(provider.inject ?? []).map((dependency) => resolve(dependency as InjectionToken)),
      ),
    );
    return instances.get(token);
  };
  for (const token of exports) resolve(token as InjectionToken);
  return instances;
}

describe('SignInModule', () => {
  it('can create each exported service from its own providers and those of an API', () => {
    const instances = createServices();
    for (const [token, service] of instances) expect(service).toBeInstanceOf(token);
    expect(instances.has(SessionsService)).toBe(true);
  });

  it('connects its services: the session service accepts the token of the password service', async () => {
    const instances = createServices();
    const passwords = instances.get(PasswordSignInService) as PasswordSignInService;
    const sessions = instances.get(SessionsService) as SessionsService;
    const signedIn = { email: 'a@example.com', password: 'correct horse battery' };
    await (instances.get(SignInRequests) as SignInRequests).register(signedIn, '192.0.2.1');
    const [, code = ''] =
      /code=([\w-]{43})/.exec(String((await core.row('SELECT body FROM mails')).body)) ?? [];
    await (instances.get(SignInLinksService) as SignInLinksService).openAccount(code, signedIn.password);
    const login = await passwords.login(signedIn, '192.0.2.1');
    if (login.kind !== 'tokens') throw new Error('a second factor is required');
    await expect(sessions.verify(login.tokens.accessToken)).resolves.toMatchObject({
      credential: { kind: 'session' },
    });
  });
});
