/** Tests passkeys in a real browser: Chromium with its virtual authenticator and the public client library. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OperationsModule, type Platform, PlatformModule, type ServerKeys } from '@trading-automation/core';
import {
  AccessModule,
  LocalBuckets,
  pickEngine,
  RateLimiter,
  rateLimitsSchema,
} from '@trading-automation/core/access';
import {
  type PasskeyOptions,
  PasskeySignInService,
  SessionsService,
  SignInModule,
} from '@trading-automation/core/sign-in';
import { CoreUnderTest } from '@trading-automation/core/testing';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { PasskeyPages } from './passkey-pages.js';

const BROWSER_ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

let profile: string;
let browser: BrowserContext;
let core: CoreUnderTest;
let signInServices: INestApplicationContext;
/** Two origins of one domain; sign-in accepts only the first. */
let [ours, others]: PasskeyPages[] = [];
let [origin, otherOrigin] = ['', ''];

beforeAll(async () => {
  profile = mkdtempSync(join(tmpdir(), 'passkeys-spec-'));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath: String(process.env.TEST_BROWSER),
    args: BROWSER_ARGUMENTS,
  });
  core = await CoreUnderTest.open();
  [ours, others] = [new PasskeyPages(), new PasskeyPages()];
  [origin, otherOrigin] = [await ours.listen(), await others.listen()];
  signInServices = await openSignInServices(core.platform, {
    rpId: 'localhost',
    rpName: 'The product',
    origins: [origin],
  });
  ours.passkeys = others.passkeys = signInServices.get(PasskeySignInService);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([ours?.close(), others?.close()]);
  await signInServices?.close();
  await core?.close();
  rmSync(profile, { recursive: true, force: true });
});

/** Opens the sign-in services as an API does. */
function openSignInServices(platform: Platform, passkeys: PasskeyOptions): Promise<INestApplicationContext> {
  const serverKeys: ServerKeys = [createHash('sha256').update('server key of the test').digest()];
  const url = () => 'https://graphql.example.com';
  const access = AccessModule.with({
    engine: pickEngine().engine,
    isRegistrationOpen: false,
    publicUrl: url,
    rateLimiter: new RateLimiter(rateLimitsSchema.parse({}), {
      buckets: new LocalBuckets(),
      takeWithNonce: async () => null,
    }),
  });
  class SignInTestModule {}
  const imports = [
    PlatformModule.with(platform),
    OperationsModule.with(platform, serverKeys),
    SignInModule.with({
      access,
      serverKeys,
      issuer: url,
      publicUrl: () => 'https://api.example.com',
      isRegistrationOpen: false,
      passkeys,
    }),
  ];
  return NestFactory.createApplicationContext({ module: SignInTestModule, imports }, { logger: false });
}

let page: Page;
let devtools: CDPSession;
let authenticatorId: string;
beforeEach(async () => {
  page = await browser.newPage();
  await page.goto(origin);
  devtools = await browser.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  ({ authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR }));
  ours!.actor = others!.actor = await core.actor();
});
afterEach(() => page.close());

const register = () => page.evaluate('register()');
const login = () => page.evaluate('login()') as Promise<{ kind?: string; tokens?: { accessToken: string } }>;

async function signedInUser(): Promise<string> {
  const { tokens } = await login();
  return (await signInServices.get(SessionsService).verify(String(tokens?.accessToken))).userId;
}

describe('a passkey of a browser', () => {
  it('is registered and signs in its user without a user name', async () => {
    expect(await register()).toEqual({ credentialId: expect.stringMatching(/^[\w-]+$/) });
    expect(await signedInUser()).toBe(ours!.actor?.userId);
    expect(await signedInUser()).toBe(ours!.actor?.userId);
  });

  it('is created once per authenticator, because the browser excludes existing ones', async () => {
    await register();
    expect(await register()).toEqual({ browser: 'InvalidStateError' });
  });

  it('is neither created nor used without user verification', async () => {
    await register();
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    expect(await login()).toEqual({ browser: 'NotAllowedError' });
    ours!.actor = await core.actor();
    expect(await register()).toEqual({ browser: 'NotAllowedError' });
  });

  it('is rejected from another origin of the same domain', async () => {
    await register();
    await page.goto(otherOrigin);
    expect(await login()).toEqual({ rejected: 'invalid_login' });
    await page.goto(origin);
    expect(await signedInUser()).toBe(ours!.actor?.userId);
    await page.goto(otherOrigin);
    others!.actor = await core.actor();
    expect(await register()).toEqual({ rejected: 'validation_failed' });
  });

  it('is rejected by its counter if it was cloned', async () => {
    await register();
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
    const [copy] = credentials;
    expect(await signedInUser()).toBe(ours!.actor?.userId);
    await devtools.send('WebAuthn.clearCredentials', { authenticatorId });
    await devtools.send('WebAuthn.addCredential', { authenticatorId, credential: copy! });
    expect(await login()).toEqual({ rejected: 'invalid_login' });
  });

  it('cannot sign in after it was removed', async () => {
    const { credentialId } = (await register()) as { credentialId: string };
    await signInServices.get(PasskeySignInService).remove(ours!.actor!, credentialId);
    expect(await login()).toEqual({ rejected: 'invalid_login' });
  });
});
