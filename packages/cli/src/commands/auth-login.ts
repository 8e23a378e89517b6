/**
 * Login without a password: creates a key pair for this machine and links it to an account by signing a challenge.
 *
 * 1. The private key is stored before its public key is linked: without it, a linked public key would be useless.
 * 2. If the login fails, the previous key is restored.
 * 3. Keys come from stdin, the environment or a hidden prompt. They are never arguments and never printed.
 */
import { Client } from '@trading-automation/sdk';
import { generatePrivateKey, signChallenge } from '@trading-automation/sdk/signer';
import type { Context, Register } from '../context.js';
import { UsageError } from '../failures.js';
import { textFrom } from '../operations/input-files.js';
import { signerOf } from '../profile/active-profile.js';
import { checkedName, DEFAULT_PROFILE, type Profile, profileIn } from '../profile/config-file.js';
import { ProfileSecrets } from '../profile/secrets.js';
import { baseURLOf, type Settings, worldOf } from '../profile/settings.js';
import { groupIn, withExamples } from './group.js';

interface Options {
  readonly keyStdin?: boolean;
  readonly apiKeyStdin?: boolean;
  readonly withApiKey?: boolean;
  readonly label?: string;
  readonly graphqlUrl?: string;
}

export const registerLogin: Register = (program, run) => {
  const command = groupIn(program, 'auth')
    .command('login')
    .description(
      'Creates a key pair, links it to your account and stores it in the profile. Opens a new account if you have none.',
    )
    .summary('log in with a key pair or an API key')
    .option('--key-stdin', 'read the private key from stdin instead of creating one')
    .option('--api-key-stdin', 'read an API key from stdin; the key pair is linked to its account')
    .option('--with-api-key', 'store the API key as the credential; create no key pair')
    .option('--label <label>', "label of the key pair; default: this machine's name")
    .option('--graphql-url <url>', 'address of the GraphQL API; stored in the profile');
  withExamples(
    command,
    'svc auth login --base-url http://127.0.0.1:4000',
    'svc auth login --profile live --base-url https://api.example.com --api-key-stdin < api-key.txt',
    'svc auth login --with-api-key --api-key-stdin < api-key.txt',
  );
  command.action(
    run<readonly [], Options>(async (context, _args, options) => {
      await login(context, options);
    }),
  );
};

async function login(context: Context, options: Options): Promise<void> {
  if (options.keyStdin && options.apiKeyStdin)
    throw new UsageError(
      '--key-stdin and --api-key-stdin cannot be combined: both read stdin.',
      'Set the API key as SVC_API_KEY.',
    );
  if (options.keyStdin && options.withApiKey)
    throw new UsageError(
      '--with-api-key and --key-stdin cannot be combined: --with-api-key uses no key pair.',
    );
  checkedName(context.settings.profile);
  await assertLoggedOut(context, options);
  const baseURL = await addressOf(context);
  const apiKey = await readApiKey(context, options);
  const profile = {
    base_url: baseURL,
    ...(options.graphqlUrl === undefined ? {} : { graphql_url: options.graphqlUrl }),
  };
  if (options.withApiKey) {
    if (apiKey === undefined)
      throw new UsageError('No API key.', 'Pass an API key with --api-key-stdin, or set SVC_API_KEY.');
    await storeApiKey(context, apiKey, profile);
  } else await linkKeyPair(context, apiKey, profile, options);
}

/** Rejects a second login: it would open another account and replace the key of the first account. */
async function assertLoggedOut({ config, settings, environment }: Context, options: Options): Promise<void> {
  const hasAccountKey = options.keyStdin || options.apiKeyStdin || environment.variables.SVC_API_KEY;
  if (profileIn(await config.read(), settings.profile)?.credential === undefined || hasAccountKey) return;
  throw new UsageError(
    `The profile ${settings.profile} is already logged in.`,
    'Use another profile with --profile, or log out first: svc auth logout',
  );
}

/** Returns the configured address, or prompts for it. */
async function addressOf({ settings, prompts, terminal }: Context): Promise<string> {
  if (settings.baseURL !== undefined || !terminal.isInteractive) return baseURLOf(settings);
  return prompts.text('Address of the API', 'Pass --base-url.', 'http://127.0.0.1:4000');
}

async function readApiKey(
  context: Context,
  { apiKeyStdin, withApiKey }: Options,
): Promise<string | undefined> {
  const { SVC_API_KEY } = context.environment.variables;
  let key: string | undefined = SVC_API_KEY || undefined;
  if (apiKeyStdin) key = (await textFrom(context, '-')).trim();
  else if (withApiKey && key === undefined && context.terminal.isInteractive)
    key = (await context.prompts.secret('API key', 'Pass it with --api-key-stdin.')).trim();
  if (key !== undefined && worldOf(key) === undefined)
    throw new UsageError('The API key must start with svc_live_ or svc_test_.');
  return key;
}

async function storeApiKey(context: Context, apiKey: string, profile: Profile): Promise<void> {
  const client = clientWith(context, profile.base_url!, { apiKey });
  const me = await context.progress('Checking the key', () => client.me.get({ signal: context.signal }));
  const secrets = await openSecrets(context);
  await secrets.set('api_key', apiKey);
  await secrets.delete('private_key');
  await context.config.change(context.settings.profile, {
    ...profile,
    credential: 'api_key',
    public_key: undefined,
    world: me.world === 'live' ? 'live' : 'test',
    secrets: secrets.kind,
  });
  printLoggedIn(context, me.world, me.id, secrets.location);
  await context.print.record(me);
}

async function linkKeyPair(
  context: Context,
  apiKey: string | undefined,
  profile: Profile,
  options: Options,
): Promise<void> {
  const { signal } = context;
  const privateKey = options.keyStdin
    ? (await textFrom(context, '-')).trim().replace(/^0x/, '').toLowerCase()
    : hexOf(generatePrivateKey());
  const signer = signerOf(privateKey, 'The key from stdin');
  const secrets = await openSecrets(context);
  const previousKey = await secrets.get('private_key');
  await secrets.set('private_key', privateKey);
  try {
    const linkingClient = clientWith(context, profile.base_url!, { apiKey: apiKey ?? null });
    const identity = await context.progress('Linking the key pair', async () => {
      const { challenge } = await linkingClient.auth.cliChallenge({}, { signal });
      const signed = await signChallenge(challenge, signer);
      return linkingClient.auth.cliIdentity(
        { ...signed, label: options.label ?? context.environment.hostName },
        { signal },
      );
    });
    const me = await clientWith(context, profile.base_url!, { signer }).me.get({ signal });
    await context.config.change(context.settings.profile, {
      ...profile,
      credential: 'key_pair',
      public_key: identity.pubkey,
      world: me.world === 'live' ? 'live' : 'test',
      secrets: secrets.kind,
    });
    await secrets.delete('api_key');
    printLoggedIn(context, me.world, me.id, secrets.location);
    await context.print.record(identity);
  } catch (error) {
    // Restore the previous key, which still works.
    if (previousKey === undefined) await secrets.delete('private_key');
    else await secrets.set('private_key', previousKey);
    throw error;
  }
}

/**
 * Opens the keyring, if one is available, or else the secrets file. Ignores where the profile stored its
 * secrets before.
 */
async function openSecrets({ environment, settings, print }: Context) {
  const secrets = await new ProfileSecrets(environment, settings.profile, undefined).store();
  if (secrets.kind === 'file' && environment.variables.SVC_CREDENTIALS !== 'file')
    print.warn(`no keyring is available; the key is stored in ${secrets.location}, readable only by you.`);
  return secrets;
}

function clientWith(
  { settings }: { readonly settings: Settings },
  baseURL: string,
  credential: ConstructorParameters<typeof Client>[0],
): Client<'string'> {
  try {
    return new Client({ ...credential, baseURL, timeout: settings.timeoutMs, decimals: 'string' });
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message.replace('baseURL', '--base-url')) : error;
  }
}

function printLoggedIn({ print, settings }: Context, world: string, userId: string, location: string): void {
  if (world === 'live') print.live(settings.profile);
  const suffix = settings.profile === DEFAULT_PROFILE ? '' : ` as the profile ${settings.profile}`;
  print.success(
    `Logged in to ${userId} (${world === 'live' ? 'live' : 'test'} world)${suffix}; the key is stored in ${location}.`,
  );
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
