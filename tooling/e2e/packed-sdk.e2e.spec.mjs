import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from '../launch/commands.mjs';
import { installPacked } from '../launch/packed-sdk.mjs';
import { root } from '../launch/paths.mjs';

/** The folder in which the packed SDK and CLI are installed. */
const folder = realpathSync(process.env.TEST_PACKED_SDK || '.');
const cli = join(folder, 'node_modules', '@trading-automation', 'cli', 'dist');

/** Returns the URL to which an import of `name` resolves in `cwd`, or the error code. */
async function resolvedIn(cwd, name) {
  const program = `try { console.log(import.meta.resolve('${name}')) } catch (error) { console.log(error.code) }`;
  const { stdout } = await run('node', ['--input-type=module', '-e', program], {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return stdout.trim();
}

it('a program in the installation folder and the packed command line both import the packed SDK', async () => {
  expect(folder.startsWith(realpathSync(root))).toBe(false);
  const sdk = pathToFileURL(join(folder, 'node_modules', '@trading-automation', 'sdk', 'dist', 'index.mjs'));
  expect(await resolvedIn(folder, '@trading-automation/sdk')).toBe(sdk.href);
  expect(await resolvedIn(cli, '@trading-automation/sdk')).toBe(sdk.href);
});

it.each(['contracts', 'signed-request', 'pagination', 'core'])(
  'the packed packages cannot import %s of the workspace',
  async (name) => {
    for (const cwd of [folder, cli])
      expect(await resolvedIn(cwd, `@trading-automation/${name}`)).toBe('ERR_MODULE_NOT_FOUND');
  },
);

it('a failed installation leaves no files', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'trading-automation-unpacked-'));
  try {
    await expect(installPacked(['no-such-package'], parent)).rejects.toThrow('not built: no-such-package');
    expect(readdirSync(parent)).toEqual([]);
  } finally {
    rmSync(parent, { recursive: true });
  }
});
