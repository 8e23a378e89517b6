import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from '../../test/support/empty-folder.js';
import { UsageError } from '../failures.js';
import { ConfigFile } from './config-file.js';

const newConfigFolder = () => join(emptyFolder(), 'config');

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
  await expect(new ConfigFile(newConfigFolder()).change(name, { base_url: 'http://home:1' })).rejects.toThrow(
    UsageError,
  );
});
