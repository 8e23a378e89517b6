/** Commands that show, export and remove the credential of a profile. */
import { forgetIds } from '../completion/known-ids.js';
import type { Context, Register } from '../context.js';
import { AuthRequired, Failure } from '../failures.js';
import { type Profile, profileIn } from '../profile/config-file.js';
import { SECRET_NAMES } from '../profile/secrets.js';
import { textOf } from '../terminal/text-of.js';
import { groupIn, withExamples } from './group.js';

export const registerAuth: Register = (program, run) => {
  const auth = groupIn(program, 'auth');
  withExamples(
    auth
      .command('status')
      .description('Shows the credential of the profile, where it is stored, and whether the API accepts it.')
      .action(run((context) => status(context))),
    'svc auth status',
    'svc auth status --profile live --json',
  );
  withExamples(
    auth
      .command('whoami')
      .description('Prints the id of your account.')
      .action(run((context) => whoAmI(context))),
    'svc auth whoami',
  );
  withExamples(
    auth
      .command('logout')
      .description(
        "Deletes the profile's credential from this machine. With --revoke, first revokes it at the API.",
      )
      .option('--revoke', 'first revoke the key pair or the API key at the API')
      .action(
        run<readonly [], { readonly revoke?: boolean }>((context, _args, { revoke }) =>
          logout(context, revoke === true),
        ),
      ),
    'svc auth logout',
    'svc auth logout --revoke',
  );
  withExamples(
    groupIn(program, 'auth', 'keys')
      .command('export')
      .description('Prints the private key of the profile. Anyone who has it can act as you.')
      .action(run((context) => exportKey(context))),
    'svc auth keys export > key.txt',
  );
};

async function status(context: Context): Promise<void> {
  const { settings, config, environment, signal } = context;
  const { SVC_API_KEY, SVC_PRIVATE_KEY } = environment.variables;
  const profile = profileIn(await config.read(), settings.profile);
  const client = await context.client();
  const me = await client.me.get({ signal });
  const signer = await context.signer();
  const apiKey = await context.apiKey();
  const source = SVC_API_KEY ? 'SVC_API_KEY' : SVC_PRIVATE_KEY ? 'SVC_PRIVATE_KEY' : context.secrets.location;
  if (me.world === 'live') context.print.live(settings.profile);
  await context.print.record({
    profile: settings.profile,
    base_url: settings.baseURL,
    ...(profile?.graphql_url === undefined ? {} : { graphql_url: profile.graphql_url }),
    world: me.world,
    user_id: me.id,
    credential: me.credential.kind,
    credential_id: me.credential.id,
    ...(signer === undefined ? {} : { public_key: signer.publicKey }),
    ...(apiKey === undefined ? {} : { api_key: `${apiKey.slice(0, 9)}…${apiKey.slice(-4)}` }),
    permissions: me.credential.permissions,
    kept_in: source,
  });
}

async function whoAmI(context: Context): Promise<void> {
  const me = await (await context.client()).me.get({ signal: context.signal });
  if (context.settings.json === undefined) await context.print.line(textOf(me.id));
  else await context.print.record(me);
}

async function logout(context: Context, shouldRevoke: boolean): Promise<void> {
  const { settings, config, print, secrets } = context;
  const profile = profileIn(await config.read(), settings.profile);
  if (profile?.credential === undefined)
    throw new AuthRequired(`The profile ${settings.profile} has no credential.`);
  if (shouldRevoke) await revoke(context);
  for (const name of SECRET_NAMES) await secrets.delete(name);
  await forgetIds(context);
  await config.change(settings.profile, {
    credential: undefined,
    public_key: undefined,
    world: undefined,
    secrets: undefined,
  });
  print.success(`Logged out: deleted the credential of the profile ${settings.profile}.`);
  if (!shouldRevoke) print.note(adviceAfterLogout(profile));
}

/** Names the command for the type of the credential, which another credential of the account must run. */
function adviceAfterLogout({ credential, public_key }: Profile): string {
  const [what, command] =
    credential === 'api_key'
      ? ['the API key', 'svc api-keys revoke']
      : [`the public key ${public_key ?? ''}`.trimEnd(), 'svc public-keys revoke'];
  return `The API still accepts ${what}. If others may have it, revoke it with another credential: \`${command}\`.`;
}

/** Revokes the credential of the profile, which also authenticates the request. */
async function revoke(context: Context): Promise<void> {
  const { signal } = context;
  const client = await context.client();
  const { credential } = await client.me.get({ signal });
  await context.confirm(`Revoke ${credential.id} at the API?`);
  if (credential.kind === 'public_key') await client.publicKeys.revoke(credential.id, { signal });
  else if (credential.kind === 'api_key') await client.apiKeys.revoke(credential.id, { signal });
  else throw new Failure(`A credential of type ${credential.kind} cannot be revoked here.`);
}

async function exportKey(context: Context): Promise<void> {
  const key = await context.secrets.get('private_key');
  if (key === undefined) throw new AuthRequired(`The profile ${context.settings.profile} has no key pair.`);
  await context.confirm('Print the private key? Anyone who has it can act as you.');
  await context.print.line(key);
}
