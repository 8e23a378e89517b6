import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from '../launch/commands.mjs';
import { installPacked } from '../launch/packed-sdk.mjs';
import { root } from '../launch/paths.mjs';

/** What the tests of this run speak through. */
const folder = realpathSync(process.env.TEST_PACKED_SDK || '.');
const cli = join(folder, 'node_modules', '@trading-automation', 'cli', 'dist');

/** Where a program in a folder finds what it imports by name; or why it does not. */
async function resolvedIn(cwd, name) {
  const program = `try { console.log(import.meta.resolve('${name}')) } catch (error) { console.log(error.code) }`;
  const { stdout } = await run('node', ['--input-type=module', '-e', program], {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return stdout.trim();
}

it('the packed SDK is what a program beside it gets, and what the packed command line gets', async () => {
  expect(folder.startsWith(realpathSync(root))).toBe(false);
  const sdk = pathToFileURL(join(folder, 'node_modules', '@trading-automation', 'sdk', 'dist', 'index.mjs'));
  expect(await resolvedIn(folder, '@trading-automation/sdk')).toBe(sdk.href);
  expect(await resolvedIn(cli, '@trading-automation/sdk')).toBe(sdk.href);
});

it.each(['contracts', 'signed-request', 'pagination', 'core'])(
  '%s of the workspace is out of its reach',
  async (name) => {
    for (const cwd of [folder, cli])
      expect(await resolvedIn(cwd, `@trading-automation/${name}`)).toBe('ERR_MODULE_NOT_FOUND');
  },
);

it('what can not be packed leaves nothing behind', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'trading-automation-unpacked-'));
  try {
    await expect(installPacked(['no-such-package'], parent)).rejects.toThrow('not built: no-such-package');
    expect(readdirSync(parent)).toEqual([]);
  } finally {
    rmSync(parent, { recursive: true });
  }
});
