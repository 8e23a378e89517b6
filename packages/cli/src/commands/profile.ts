/** Commands that list and change profiles and their settings. Secrets are not settings. */
import type { Context, Register } from '../context.js';
import { NotFound, UsageError } from '../failures.js';
import { checkedName, type Profile, profileIn } from '../profile/config-file.js';
import { ProfileSecrets, SECRET_NAMES, secretFilePath } from '../profile/secrets.js';
import { groupIn, withExamples } from './group.js';

export const registerProfile: Register = (program, run) => {
  const profile = groupIn(program, 'profile');
  withExamples(
    profile
      .command('list')
      .description('Lists the profiles of this machine.')
      .action(run((context) => listProfiles(context))),
    'svc profile list',
  );
  withExamples(
    profile
      .command('use')
      .argument('<name>')
      .description('Sets the default profile.')
      .action(run<readonly [string]>((context, [name]) => useProfile(context, name))),
    'svc profile use live',
  );
  withExamples(
    profile
      .command('add')
      .argument('<name>')
      .description(
        'Adds a profile with the address in --base-url. Then log in with svc auth login --profile.',
      )
      .option('--graphql-url <url>', 'address of the GraphQL API')
      .action(
        run<readonly [string], { readonly graphqlUrl?: string }>((context, [name], { graphqlUrl }) =>
          addProfile(context, name, graphqlUrl),
        ),
      ),
    'svc profile add live --base-url https://api.example.com',
  );
  withExamples(
    profile
      .command('remove')
      .argument('<name>')
      .description('Deletes a profile and its keys from this machine. The API still accepts the keys.')
      .action(run<readonly [string]>((context, [name]) => removeProfile(context, name))),
    'svc profile remove live',
  );
  registerConfig(program, run);
};

const registerConfig: Register = (program, run) => {
  const config = groupIn(program, 'config');
  const names = `The settings are ${SETTABLE.join(' and ')}.`;
  withExamples(
    config
      .command('get')
      .argument('[name]')
      .description(`Prints a setting of the profile, or all of them. ${names}`)
      .action(run<readonly [string | undefined]>((context, [name]) => getSetting(context, name))),
    'svc config get base_url',
  );
  withExamples(
    config
      .command('set')
      .argument('<name>')
      .argument('<value>')
      .description(`Sets a setting of the profile. ${names}`)
      .action(run<readonly [string, string]>((context, [name, value]) => setSetting(context, name, value))),
    'svc config set base_url http://127.0.0.1:4000',
  );
  withExamples(
    config
      .command('path')
      .description('Prints the path of config.toml.')
      .action(run((context) => context.print.line(context.config.path))),
    'svc config path',
  );
};

const SETTABLE = ['base_url', 'graphql_url'] as const;
type Settable = (typeof SETTABLE)[number];

async function listProfiles({ config, settings, print }: Context): Promise<void> {
  const { profiles } = await config.read();
  const rows = Object.entries(profiles).map(([name, { base_url, world, credential }]) => ({
    name,
    is_used: name === settings.profile,
    base_url: base_url ?? null,
    world: world ?? null,
    credential: credential ?? null,
  }));
  await print.records(rows, [['is_used', 'used'], 'name', 'base_url', 'world', 'credential']);
}

async function useProfile({ config, print }: Context, name: string): Promise<void> {
  const file = await config.read();
  if (profileIn(file, name) === undefined) throw noProfile(name);
  await config.write({ ...file, default_profile: name });
  print.success(`${name} is now the default profile.`);
}

async function addProfile(
  { config, settings, print }: Context,
  name: string,
  graphqlURL: string | undefined,
): Promise<void> {
  const file = await config.read();
  if (profileIn(file, checkedName(name)) !== undefined)
    throw new UsageError(`The profile ${name} already exists.`);
  await config.change(name, {
    base_url: settings.baseURL === undefined ? undefined : checkedURL(settings.baseURL),
    graphql_url: graphqlURL === undefined ? undefined : checkedURL(graphqlURL),
  });
  print.success(`Added ${name}. Log in: svc auth login --profile ${name}`);
}

async function removeProfile(context: Context, name: string): Promise<void> {
  const { config, environment, print } = context;
  const file = await config.read();
  const removed = profileIn(file, name);
  if (removed === undefined) throw noProfile(name);
  const { [name]: _removed, ...others } = file.profiles;
  const { default_profile } = file;
  await context.confirm(`Remove the profile ${name} and its keys from this machine?`);
  const secrets = new ProfileSecrets(environment, name, removed.secrets);
  for (const secret of SECRET_NAMES) await secrets.delete(secret);
  await config.write({
    ...(default_profile === undefined || default_profile === name ? {} : { default_profile }),
    profiles: others,
  });
  print.success(`Removed ${name}.`);
}

async function getSetting(
  { config, settings, print, environment }: Context,
  name: string | undefined,
): Promise<void> {
  const profile: Profile = profileIn(await config.read(), settings.profile) ?? {};
  if (name === undefined)
    return print.record({
      profile: settings.profile,
      base_url: settings.baseURL ?? null,
      graphql_url: settings.graphqlURL ?? null,
      world: settings.world ?? null,
      credential: profile.credential ?? null,
      config: config.path,
      secrets: profile.secrets === 'keyring' ? 'keyring' : secretFilePath(environment),
    });
  const value = profile[assertSettable(name)];
  if (value === undefined) throw new NotFound(`${name} is not set in the profile ${settings.profile}.`);
  await print.line(value);
}

async function setSetting({ config, settings, print }: Context, name: string, value: string): Promise<void> {
  await config.change(settings.profile, { [assertSettable(name)]: checkedURL(value) });
  print.success(`Set ${name} of ${settings.profile} to ${value}.`);
}

function assertSettable(name: string): Settable {
  const setting = SETTABLE.find((known) => known === name);
  if (setting !== undefined) return setting;
  throw new UsageError(
    `Unknown setting: ${name}.`,
    `Settings: ${SETTABLE.join(', ')}. Keys are stored by \`svc auth login\`.`,
  );
}

function checkedURL(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new UsageError(`The address must start with http:// or https://; got ${url}.`);
}

function noProfile(name: string): NotFound {
  return new NotFound(`The profile ${name} does not exist.`, 'List the profiles with `svc profile list`.');
}
