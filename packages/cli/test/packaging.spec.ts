/** Tests the published package: npm installs the packed command line and the packed SDK. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const NAME = '@trading-automation/cli';
const TIMEOUT_MS = 120_000;

let folder: string;
let installed: string;
let manifest: { version: string; dependencies: Record<string, string> } & Record<string, unknown>;
beforeAll(async () => {
  const packed = process.env.TEST_PACKED_SDK ?? '';
  if (packed === '') throw new Error('The CLI was not packed. Build it first: npm run build.');
  folder = mkdtempSync(join(tmpdir(), 'cli-packaging-'));
  installed = join(folder, 'node_modules', NAME);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
  const quietly = ['--no-audit', '--no-fund', '--no-update-notifier', '--prefer-offline', '--loglevel=error'];
  const tarballs = ['sdk', 'cli'].map((name) => join(packed, `${name}.tgz`));
  await runProgram('npm', ['install', '--prefix', folder, ...quietly, ...tarballs]);
  manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
}, TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function runProgram(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', SVC_CONFIG_DIR: join(folder, 'config') },
    timeout: TIMEOUT_MS,
  });
  return stdout;
}

describe('the packed command line', () => {
  it('contains only its programs, the manifest, the licence and the README', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((file) =>
      statSync(join(installed, file)).isFile(),
    );
    const outsideDist = files.filter((file) => !file.startsWith('dist/'));
    expect(outsideDist.toSorted()).toEqual(['LICENSE', 'README.md', 'bin/svc.js', 'package.json']);
    const unexpected = files.filter(
      (file) => file.startsWith('dist/') && !/^dist\/(?:[a-z-]+\/)*[a-z-]+\.js$/.test(file),
    );
    expect(unexpected).toEqual([]);
  });

  it('has a manifest that does not refer to the workspace, and needs no other package of it than the SDK', () => {
    expect(manifest).toMatchObject({ name: NAME, license: 'Apache-2.0', bin: { svc: 'bin/svc.js' } });
    expect(manifest.engines).toEqual({ node: '>=20.19' });
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
    const { '@trading-automation/sdk': sdk, ...others } = manifest.dependencies;
    expect(sdk).toBe(`^${manifest.version}`);
    expect(Object.keys(others).filter((name) => name.startsWith('@trading-automation/'))).toEqual([]);
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:/);
  });

  it('runs with only its installed dependencies', async () => {
    const svc = join(folder, 'node_modules', '.bin', 'svc');
    expect(await runProgram(svc, ['--version'])).toBe(`${manifest.version}\n`);
    expect(await runProgram(svc, ['--help'])).toMatch(/^Usage: svc /);
    expect(await runProgram(svc, ['trades', 'create', '--help'])).toContain('--amount');
  });
});
