import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from '../../test/support/empty-folder.js';
import { environmentOf } from '../environment.js';
import { AuthRequired, UsageError } from '../failures.js';
import { ProfileSecrets, SecretFile } from './secrets.js';

const folderOf = () => join(emptyFolder(), 'config');
const fileIn = (folder: string, profile = 'default') =>
  new SecretFile(join(folder, 'credentials.json'), profile, 'linux');

it('keeps the secrets of each profile, and forgets one without touching another', async () => {
  const folder = folderOf();
  await fileIn(folder).set('api_key', 'one');
  await fileIn(folder, 'other').set('api_key', 'two');
  await fileIn(folder).delete('api_key');
  await fileIn(folder).delete('private_key');
  expect(await fileIn(folder).get('api_key')).toBeUndefined();
  expect(await fileIn(folder, 'other').get('api_key')).toBe('two');
});

it('writes a file that is its user’s alone, and leaves no draft behind', async () => {
  const folder = folderOf();
  await fileIn(folder).set('private_key', 'secret');
  await fileIn(folder).set('private_key', 'another');
  expect(statSync(join(folder, 'credentials.json')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).toEqual(['credentials.json']);
});

it('writes beside a link of the same name, never through it', async () => {
  const folder = folderOf();
  await fileIn(folder).set('private_key', 'secret');
  const before = statSync(join(folder, 'credentials.json')).ino;
  await fileIn(folder).set('private_key', 'another');
  expect(statSync(join(folder, 'credentials.json')).ino).not.toBe(before);
});

it.each([0o644, 0o640, 0o606])(
  'refuses a file of the permissions %o, and leaves it as it is',
  async (mode) => {
    const folder = folderOf();
    await fileIn(folder).set('private_key', 'secret');
    const path = join(folder, 'credentials.json');
    chmodSync(path, mode);
    const before = readFileSync(path, 'utf8');
    await expect(fileIn(folder).get('private_key')).rejects.toThrow(AuthRequired);
    await expect(fileIn(folder).set('private_key', 'another')).rejects.toThrow(/readable by other users/);
    expect(readFileSync(path, 'utf8')).toBe(before);
  },
);

it('says so where the file is damaged, and never overwrites it', async () => {
  const folder = folderOf();
  await fileIn(folder).set('private_key', 'secret');
  const path = join(folder, 'credentials.json');
  writeFileSync(path, '{"default": {');
  await expect(fileIn(folder).set('api_key', 'x')).rejects.toThrow(/not valid JSON/);
  expect(readFileSync(path, 'utf8')).toBe('{"default": {');
});

it('uses the file if configured, and rejects unknown values', async () => {
  const environment = environmentOf({ SVC_CONFIG_DIR: folderOf(), SVC_CREDENTIALS: 'file' }, '.');
  expect((await new ProfileSecrets(environment, 'default', undefined).store()).kind).toBe('file');
  const wrong = { ...environment, variables: { SVC_CREDENTIALS: 'drawer' } };
  await expect(new ProfileSecrets(wrong, 'default', undefined).store()).rejects.toThrow(UsageError);
});
