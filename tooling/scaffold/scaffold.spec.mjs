/**
 * Runs both generators in a copy of the workspace. The written code must compile, keep the import rules, and fail only
 * its own tests.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyWorkspace } from '../e2e/workspace-copy.mjs';

const RUN_MS = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'scaffold-'));
const workspace = join(folder, 'workspace');
/** @type {string[]} */
let operationFiles;
/** @type {string[]} */
let featureFiles;

/** Runs a program in the copy of the workspace. @param {string} cwd @param {readonly string[]} args of node */
async function run(cwd, ...args) {
  const { JEST_WORKER_ID: _, ...env } = process.env;
  const settings = { cwd: join(workspace, cwd), env, timeout: RUN_MS, maxBuffer: 2 ** 26 };
  return promisify(execFile)(process.execPath, args, settings).catch((error) => error);
}

/** Runs a generator. @param {string} script @param {readonly string[]} args @returns the paths of the written files */
async function generateSkeleton(script, ...args) {
  const { stdout, stderr, code } = await run('.', `tooling/scaffold/${script}`, ...args, '--no-generate');
  if (code) throw new Error(stderr);
  return stdout.split('\n').filter((/** @type {string} */ line) => /^[\w./-]+$/.test(line));
}

beforeAll(async () => {
  copyWorkspace(workspace);
  operationFiles = await generateSkeleton('new-operation.mjs', 'trades', 'fills');
  featureFiles = await generateSkeleton('new-feature.mjs', 'price-alerts');
  // Generates only the files that the compiler and the tests below read, because `npm run generate` takes longer.
  for (const [cwd, ...args] of [
    ['.', 'node_modules/typescript/bin/tsc', '-p', 'packages/contracts/tsconfig.build.json'],
    ['packages/sdk', 'scripts/generate.mjs'],
    ['packages/sdk', 'scripts/fixtures.mjs'],
    ['packages/cli', 'scripts/generate.mjs'],
    ['apps/graphql-api', 'scripts/write-schema.mjs'],
    ['.', 'node_modules/typescript/bin/tsc', '-p', 'apps/rest-api/tsconfig.build.json'],
    ['apps/rest-api', 'scripts/write-openapi.mjs'],
  ]) {
    const { code, stdout, stderr } = await run(cwd, ...args);
    if (code) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
  }
}, RUN_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a new operation changes or adds four files, one of them a spec, and adds a changeset', () => {
  expect(operationFiles).toEqual([
    'packages/contracts/src/trades.ts',
    'packages/core/src/trades/trades.service.ts',
    'packages/core/src/trades/trade-fills.spec.ts',
    'packages/sdk/src/resources/trades.ts',
    '.changeset/trade-fills.md',
  ]);
  expect(readFileSync(join(workspace, 'apps/graphql-api/schema.graphql'), 'utf8')).toContain(
    '\n  tradeFills(tradeId: ID!): TradeFills\n',
  );
});

it('a new feature has a folder of core, an entry in FEATURE_ORDER and a described tag in the API reference', () => {
  expect(featureFiles).toEqual(
    expect.arrayContaining([
      'packages/contracts/src/price-alerts.ts',
      'packages/core/src/price-alerts/index.ts',
      'packages/core/src/price-alerts/price-alerts.module.ts',
      'packages/core/src/price-alerts/price-alerts.service.spec.ts',
      '.dependency-cruiser.cjs',
      'apps/rest-api/src/reference/tags.ts',
    ]),
  );
  const { tags, paths } = JSON.parse(readFileSync(join(workspace, 'apps/rest-api/openapi.json'), 'utf8'));
  expect(tags).toContainEqual({ name: 'Price alerts', description: 'Your price alerts.' });
  expect(paths['/v1/price-alerts/overview'].get.tags).toEqual(['Price alerts']);
});

it(
  'the written code passes the type check',
  async () => {
    for (const args of [
      ['packages/core/tsconfig.build.json'],
      ['packages/core', '--noEmit'],
      ['packages/sdk', '--noEmit'],
    ]) {
      const { stdout } = await run('.', 'node_modules/typescript/bin/tsc', '-p', ...args);
      expect(stdout).toBe('');
    }
  },
  RUN_MS,
);

it(
  'the import rule of a new feature has a fixture that violates it',
  async () => {
    const rule = 'feature-order-of-price-alerts';
    const fixture = join(workspace, 'tooling/boundaries/fixtures', rule);
    const { stdout } = await run('.', 'tooling/boundaries/report.mjs', fixture);
    expect(JSON.parse(stdout)[0].broken).toEqual([rule]);
  },
  RUN_MS,
);

it(
  'the written code keeps the import rules of core',
  async () => {
    const { stdout } = await run(
      '.',
      'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
      ...['packages/core/src', 'packages/contracts/src', '--config', '.dependency-cruiser.cjs'],
      ...['--output-type', 'err'],
    );
    expect(stdout).toContain('no dependency violations found');
  },
  RUN_MS,
);

it(
  'only the two new tests fail',
  async () => {
    const { stdout } = await run(
      '.',
      '--experimental-vm-modules',
      'node_modules/jest/bin/jest.js',
      ...['--json', '--maxWorkers=2'],
      ...[...operationFiles, ...featureFiles].filter((path) => path.endsWith('.spec.ts')),
      ...['packages/core/src/api', 'packages/contracts/src/samples', 'packages/sdk/test/parity'],
      ...['apps/graphql-api/test/schema', 'apps/graphql-api/src/schema', 'packages/cli/src/commands'],
    );
    const { testResults, numPassedTests } = JSON.parse(stdout);
    const failed = testResults.flatMap((/** @type {{ assertionResults: any[] }} */ { assertionResults }) =>
      assertionResults.filter(({ status }) => status !== 'passed').map(({ title }) => title),
    );
    expect(failed.sort()).toEqual([
      "returns an overview of the caller's price alerts",
      'returns the fills of a trade',
    ]);
    expect(numPassedTests).toBeGreaterThan(100);
  },
  RUN_MS,
);
