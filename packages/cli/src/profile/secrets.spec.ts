import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from '../../test/support/empty-folder.js';
import { environmentOf } from '../environment.js';
import { AuthRequired, UsageError } from '../failures.js';
import { ConfigFile } from './config-file.js';
import { ProfileSecrets, SecretFile } from './secrets.js';

const newConfigFolder = () => join(emptyFolder(), 'config');
const fileIn = (folder: string, profile = 'default') =>
  new SecretFile(join(folder, 'credentials.json'), profile, 'linux');

it('stores the secrets of each profile separately, and deletes only those of one profile', async () => {
  const folder = newConfigFolder();
  await fileIn(folder).set('api_key', 'one');
  await fileIn(folder, 'other').set('api_key', 'two');
  await fileIn(folder).delete('api_key');
  await fileIn(folder).delete('private_key');
  expect(await fileIn(folder).get('api_key')).toBeUndefined();
  expect(await fileIn(folder, 'other').get('api_key')).toBe('two');
});

it('writes a file that only its user can access, and leaves no temporary file', async () => {
  const folder = newConfigFolder();
  await fileIn(folder).set('private_key', 'secret');
  await fileIn(folder).set('private_key', 'another');
  expect(statSync(join(folder, 'credentials.json')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).toEqual(['credentials.json']);
});

it('replaces the file instead of writing into it', async () => {
  const folder = newConfigFolder();
  await fileIn(folder).set('private_key', 'secret');
  const before = statSync(join(folder, 'credentials.json')).ino;
  await fileIn(folder).set('private_key', 'another');
  expect(statSync(join(folder, 'credentials.json')).ino).not.toBe(before);
});

it.each([0o644, 0o640, 0o606])(
  'rejects a file with the permissions %o and does not change it',
  async (mode) => {
    const folder = newConfigFolder();
    await fileIn(folder).set('private_key', 'secret');
    const path = join(folder, 'credentials.json');
    chmodSync(path, mode);
    const before = readFileSync(path, 'utf8');
    await expect(fileIn(folder).get('private_key')).rejects.toThrow(AuthRequired);
    await expect(fileIn(folder).set('private_key', 'another')).rejects.toThrow(/readable by other users/);
    expect(readFileSync(path, 'utf8')).toBe(before);
  },
);

it('reports an invalid file and does not overwrite it', async () => {
  const folder = newConfigFolder();
  await fileIn(folder).set('private_key', 'secret');
  const path = join(folder, 'credentials.json');
  writeFileSync(path, '{"default": {');
  await expect(fileIn(folder).set('api_key', 'x')).rejects.toThrow(/not valid JSON/);
  expect(readFileSync(path, 'utf8')).toBe('{"default": {');
});

it('uses the file if SVC_CREDENTIALS is file, and rejects unknown values', async () => {
  const environment = environmentOf({ SVC_CONFIG_DIR: newConfigFolder(), SVC_CREDENTIALS: 'file' }, '.');
  expect((await new ProfileSecrets(environment, 'default', undefined).store()).kind).toBe('file');
  const invalid = { ...environment, variables: { SVC_CREDENTIALS: 'drawer' } };
  await expect(new ProfileSecrets(invalid, 'default', undefined).store()).rejects.toThrow(UsageError);
});

describe('the configuration file', () => {
  it('makes the first profile the default', async () => {
    const file = new ConfigFile(newConfigFolder());
    await file.change('home', { base_url: 'http://home:1' });
    await file.change('away', { base_url: 'http://away:1' });
    expect(await file.read()).toEqual({
      default_profile: 'home',
      profiles: { home: { base_url: 'http://home:1' }, away: { base_url: 'http://away:1' } },
    });
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
  });

  it('changes the passed fields, removes those that are undefined and keeps the others', async () => {
    const file = new ConfigFile(newConfigFolder());
    await file.change('home', { base_url: 'http://home:1', credential: 'api_key', world: 'test' });
    await file.change('home', { credential: undefined, world: 'live' });
    expect((await file.read()).profiles.home).toEqual({ base_url: 'http://home:1', world: 'live' });
  });

  it('rejects an invalid TOML file and names it', async () => {
    const folder = newConfigFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'config.toml'), 'profiles = [');
    await expect(new ConfigFile(folder).read()).rejects.toThrow(/config\.toml is not valid TOML/);
  });

  it.each(['', '../x', 'a b', '__proto__'])('rejects the profile name %j', async (name) => {
    await expect(
      new ConfigFile(newConfigFolder()).change(name, { base_url: 'http://home:1' }),
    ).rejects.toThrow(UsageError);
  });
});
