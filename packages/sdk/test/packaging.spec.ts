/** Checks the packed SDK with tools for published packages: npm, esbuild, publint and attw. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type ConsumerProjects, installConsumers, packedTarball, runProgram } from './consumer-projects.js';

const NAME = '@trading-automation/sdk';
const ENTRIES = ['index', 'realtime', 'signer', 'testing', 'webhooks'];
const sdk = join(import.meta.dirname, '..');

let consumers: ConsumerProjects;
let installed: string;
let manifest: Record<string, unknown>;
beforeAll(async () => {
  consumers = await installConsumers();
  installed = join(consumers.folder, 'node_modules', NAME);
  manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
}, 120_000);
afterAll(() => consumers?.remove());

const program = (name: string) => join(sdk, 'node_modules', '.bin', name);

describe('the packed SDK', () => {
  it('contains only the build of its entries, the manifest, the licences and the README', async () => {
    const files = (await runProgram('tar', ['-tzf', packedTarball()], { cwd: sdk })).trim().split('\n');
    const outside = files.filter((file) => !file.startsWith('package/dist/'));
    const expectedOutside = ['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt', 'package.json'];
    expect(outside.toSorted()).toEqual(expectedOutside.map((file) => `package/${file}`));

    const built = files.filter((file) => file.startsWith('package/dist/')).map((file) => file.slice(13));
    const entries = ENTRIES.flatMap((entry) =>
      ['.mjs', '.cjs', '.d.mts', '.d.cts'].map((ending) => entry + ending),
    );
    const shared = built.filter((file) => /^[a-z-]+-[\w-]{8}\.(?:d\.)?[cm][jt]s$/.test(file));
    expect(built.filter((file) => !shared.includes(file)).toSorted()).toEqual(entries.toSorted());
  });

  it('has a manifest without references to the workspace', () => {
    const { dependencies, peerDependencies, peerDependenciesMeta, publishConfig } = manifest;
    expect(manifest).toMatchObject({ name: NAME, license: 'Apache-2.0', type: 'module', sideEffects: false });
    expect(manifest.engines).toEqual({ node: '>=20.19' });
    expect(publishConfig).toEqual({ access: 'public', provenance: true });
    expect(Object.keys(dependencies as object)).toEqual(['@noble/hashes', '@noble/secp256k1']);
    expect(Object.keys(peerDependencies as object)).toEqual(['ws']);
    expect(peerDependenciesMeta).toEqual({ ws: { optional: true } });
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:|@trading-automation\/source/);
  });

  it('imports only the noble packages, and only in ES modules that sign or verify, not in CommonJS', async () => {
    const packagesImportedBy = async (entry: string, ending: string) => {
      const { metafile } = await build({
        entryPoints: [join(installed, 'dist', `${entry}${ending}`)],
        absWorkingDir: consumers.folder,
        bundle: true,
        write: false,
        metafile: true,
        logLevel: 'silent',
        packages: 'external',
        platform: 'neutral',
        format: ending === '.mjs' ? 'esm' : 'cjs',
      });
      const paths = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
      const packages = paths.map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)![0]);
      return [...new Set(packages)];
    };
    for (const entry of ENTRIES) expect(await packagesImportedBy(entry, '.cjs')).toEqual([]);
    const noble = ['@noble/hashes', '@noble/secp256k1'];
    for (const entry of ENTRIES)
      expect(noble).toEqual(expect.arrayContaining(await packagesImportedBy(entry, '.mjs')));
    for (const entry of ['index', 'realtime']) expect(await packagesImportedBy(entry, '.mjs')).toEqual([]);
    expect((await packagesImportedBy('signer', '.mjs')).toSorted()).toEqual(noble);
  });

  it('includes the licence of each bundled package', () => {
    const code = readdirSync(join(installed, 'dist')).filter((file) => /\.[cm]js$/.test(file));
    const regions = code.flatMap(
      (file) => readFileSync(join(installed, 'dist', file), 'utf8').match(/^\/\/#region .+$/gm)!,
    );
    const bundled = regions.flatMap(
      (region) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(region)?.[1] ?? [],
    );
    const packages = [...new Set(bundled)].toSorted();
    expect(packages).toEqual(['@noble/hashes', '@noble/secp256k1', 'graphql-ws']);

    const notices = readFileSync(join(installed, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of packages) {
      const folder = join(sdk, 'node_modules', name);
      const licence = readdirSync(folder).find((file) => file.startsWith('LICENSE'))!;
      expect(notices).toContain(`==== ${name} ====\n\n${readFileSync(join(folder, licence), 'utf8')}`);
    }
  });

  it('passes publint without an error, a warning or a suggestion', async () => {
    const output = await runProgram(program('publint'), [packedTarball(), '--strict'], { cwd: sdk });
    expect(output.trim().split('\n').at(-1)).toBe('All good!');
  });

  it('has correct types for every entry with each module resolution', async () => {
    const args = [packedTarball(), '--profile', 'strict', '--format', 'json'];
    const { analysis } = JSON.parse(await runProgram(program('attw'), args, { cwd: sdk })) as {
      analysis: { problems: object[]; entrypoints: Record<string, { resolutions: object }> };
    };
    expect(analysis.problems).toEqual([]);
    const entries = ENTRIES.map((entry) => (entry === 'index' ? '.' : `./${entry}`));
    expect(Object.keys(analysis.entrypoints).toSorted()).toEqual([...entries, './package.json'].toSorted());
    expect(Object.keys(analysis.entrypoints['.']!.resolutions).toSorted()).toEqual(
      ['bundler', 'node10', 'node16-cjs', 'node16-esm'].toSorted(),
    );
  });

  it('keeps each entry within its size limit when it is bundled for a web page', async () => {
    const output = await runProgram(process.execPath, ['scripts/sizes.mjs', consumers.folder], { cwd: sdk });
    const sizes = output
      .trim()
      .split('\n')
      .map((line) => /^(.+): (\d+) of (\d+) bytes$/.exec(line)!.slice(1));
    expect(sizes.map(([entries, , limit]) => `${entries} ${limit}`)).toEqual(
      expect.arrayContaining(['. 10000', '. + ./signer 26000']),
    );
    for (const [, size] of sizes) expect(Number(size)).toBeGreaterThan(1000);
  });

  it('has the public API of the committed reports', async () => {
    // Checks an unpacked copy, because inside node_modules the extractor reports only names.
    await runProgram('tar', ['-xzf', packedTarball()], { cwd: consumers.folder });
    const unpacked = join(consumers.folder, 'package');
    const output = await runProgram(process.execPath, ['scripts/api-report.mjs', '--check', unpacked], {
      cwd: sdk,
    });
    expect(output.trim().split('\n')).toEqual(ENTRIES.map((entry) => `etc/${entry}.api.md: up to date`));
  }, 120_000);
});
