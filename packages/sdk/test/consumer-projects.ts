/**
 * Copies the projects of `consumers/` to a temporary folder, where nothing of the workspace can be imported, and
 * installs the packed SDK there with npm. Its dependencies come from the registry or from npm's cache, at the versions
 * in its manifest.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The output of `consumers/scenario.mjs` on success. */
export const EXPECTED_RESULT = {
  listed: [1, 2, 3],
  amounts: [0.1, '0.010'],
  errorCode: 'trade_not_found',
  event: 'trade.filled',
  fake: 'FAILED',
};
export const EXPECTED_RESULT_WITH_REALTIME = { ...EXPECTED_RESULT, received: [1, 2] };

const TIMEOUT_MS = 120_000;

/** Returns the path of the packed SDK. The setup of the test run packs it once. */
export function packedTarball(): string {
  const folder = process.env.TEST_PACKED_SDK ?? '';
  if (folder === '') throw new Error('The SDK was not packed. Build it first: npm run build.');
  return join(folder, 'sdk.tgz');
}

/** Runs a program and returns its output. @throws an error with the output if the program fails */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd,
    // Some programs write colours if CI is set.
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env },
    timeout: TIMEOUT_MS,
    maxBuffer: 2 ** 26,
  }).catch((error: Error & { stdout?: string; stderr?: string }) => {
    const lines = [error.message, error.stdout, error.stderr].join('\n').split('\n');
    throw new Error(lines.map((line) => line.slice(0, 300)).join('\n'));
  });
  return stdout;
}

/** Installs packages in a folder with npm. `--prefix` overrides the folder that npm scripts set in the environment. */
export async function npmInstall(folder: string, packages: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const quietOptions = [
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--prefer-offline',
    '--loglevel=error',
  ];
  await runProgram('npm', ['install', '--prefix', folder, ...quietOptions, ...packages], { cwd: folder });
}

export interface ConsumerProjects {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Copies the projects and installs the SDK. @param packages packages to install in addition to the SDK */
export async function installConsumers(packages: readonly string[] = []): Promise<ConsumerProjects> {
  const tarball = packedTarball();
  const folder = await mkdtemp(join(tmpdir(), 'sdk-consumers-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await cp(join(import.meta.dirname, 'consumers'), folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    await npmInstall(folder, [tarball, ...packages]);
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
