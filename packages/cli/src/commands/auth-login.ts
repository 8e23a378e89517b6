/**
 * Logging in: a key pair of this machine's own, linked to an account by its signature over a challenge. No password.
 *
 * 1. The private key is kept before it is linked: an identity whose key is lost would be of no use.
 * 2. The key in use stays until the new one works: it is replaced in one write, after the API knew it.
 * 3. Keys come from stdin or the environment, or are typed unseen; they are never arguments, and never printed.
 */
import { Client } from '@trading-automation/sdk';
import { generatePrivateKey, signChallenge } from '@trading-automation/sdk/signer';
import { signerOf } from '../command-context.js';
import type { Context, Register } from '../context.js';
import { UsageError } from '../failures.js';
import { textFrom } from '../operations/input-files.js';
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
      'Makes a key pair, links it to your account, and keeps it for this profile. Opens an account where you have none.',
    )
    .summary('log in with a key pair, or an API key')
    .option('--key-stdin', 'take the private key from stdin in place of a new one')
    .option('--api-key-stdin', 'read an API key from stdin: the key pair is linked to its account')
    .option('--with-api-key', 'keep the API key itself as the credential, and make no key pair')
    .option('--label <label>', "how the account lists the key pair; default: this machine's name")
    .option('--graphql-url <url>', 'address of the GraphQL API, kept in the profile');
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
      '--key-stdin and --api-key-stdin both read stdin.',
      'Give the API key as SVC_API_KEY.',
    );
  if (options.keyStdin && options.withApiKey)
    throw new UsageError('--with-api-key makes no key pair, so there is no place for --key-stdin.');
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
      throw new UsageError('There is no API key.', 'Give it by --api-key-stdin, or as SVC_API_KEY.');
    await keepApiKey(context, apiKey, profile);
  } else await linkKeyPair(context, apiKey, profile, options);
}

/** Without a key of an account, a login opens a new one: nobody is to lose theirs by logging in twice. */
async function assertLoggedOut({ config, settings, environment }: Context, options: Options): Promise<void> {
  const isOfAnAccount = options.keyStdin || options.apiKeyStdin || environment.variables.SVC_API_KEY;
  if (profileIn(await config.read(), settings.profile)?.credential === undefined || isOfAnAccount) return;
  throw new UsageError(
    `The profile ${settings.profile} is logged in already.`,
    'Use another with --profile, or let this one go first: svc auth logout',
  );
}

/** As set, or as said when asked. */
async function addressOf({ settings, prompts, terminal }: Context): Promise<string> {
  if (settings.baseURL !== undefined || !terminal.isInteractive) return baseURLOf(settings);
  return prompts.text('Address of the API', 'Give --base-url.', 'http://127.0.0.1:4000');
}

async function readApiKey(
  context: Context,
  { apiKeyStdin, withApiKey }: Options,
): Promise<string | undefined> {
  const { SVC_API_KEY } = context.environment.variables;
  let given: string | undefined = SVC_API_KEY || undefined;
  if (apiKeyStdin) given = (await textFrom(context, '-')).trim();
  else if (withApiKey && given === undefined && context.terminal.isInteractive)
    given = (await context.prompts.secret('API key', 'Give it by --api-key-stdin.')).trim();
  if (given !== undefined && worldOf(given) === undefined)
    throw new UsageError('That is no API key: they begin with svc_live_ or svc_test_.');
  return given;
}

async function keepApiKey(context: Context, apiKey: string, profile: Profile): Promise<void> {
  const client = clientWith(context, profile.base_url!, { apiKey });
  const me = await context.progress('Trying the key', () => client.me.get({ signal: context.signal }));
  const secrets = await secretsToKeep(context);
  await secrets.set('api_key', apiKey);
  await secrets.delete('private_key');
  await context.config.change(context.settings.profile, {
    ...profile,
    credential: 'api_key',
    public_key: undefined,
    world: me.world === 'live' ? 'live' : 'test',
    secrets: secrets.kind,
  });
  printLoggedIn(context, me.world, me.id, secrets.place);
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
  const signer = signerOf(privateKey, 'What came from stdin');
  const secrets = await secretsToKeep(context);
  const before = await secrets.get('private_key');
  await secrets.set('private_key', privateKey);
  try {
    const linking = clientWith(context, profile.base_url!, { apiKey: apiKey ?? null });
    const identity = await context.progress('Linking the key pair', async () => {
      const { challenge } = await linking.auth.cliChallenge({}, { signal });
      const signed = await signChallenge(challenge, signer);
      return linking.auth.cliIdentity(
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
    printLoggedIn(context, me.world, me.id, secrets.place);
    await context.print.record(identity);
  } catch (error) {
    // What was kept beforehand is still what works.
    if (before === undefined) await secrets.delete('private_key');
    else await secrets.set('private_key', before);
    throw error;
  }
}

/** The keyring where there is one, whatever the profile used until now. */
async function secretsToKeep({ environment, settings, print }: Context) {
  const secrets = await new ProfileSecrets(environment, settings.profile, undefined).store();
  if (secrets.kind === 'file' && environment.variables.SVC_CREDENTIALS !== 'file')
    print.warn(
      `no keyring answers on this machine: the key is kept in ${secrets.place}, readable by you alone.`,
    );
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

function printLoggedIn(
  { print, settings, terminal }: Context,
  world: string,
  userId: string,
  place: string,
): void {
  const sign = world === 'live' ? terminal.noteColors.inverse(' LIVE ') : 'test';
  const of = settings.profile === DEFAULT_PROFILE ? '' : ` as the profile ${settings.profile}`;
  print.success(`Logged in to ${userId} (${sign} world)${of}; the key is in ${place}.`);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
