import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentIn, svcFile } from '../launch/svc.mjs';

/**
 * Creates a home folder for runs of `svc`, with an empty configuration and secrets in a file. To `svc` it looks
 * like a checkout in which `npm start` runs.
 *
 * @param {Pick<import('./product.mjs').Product, 'restUrl' | 'paperExchangeUrl' | 'urlOf'>} product
 */
export function openHome(product) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-home-'));
  const env = { ...environmentIn(join(folder, 'config')), LANG: 'C.UTF-8' };
  writeFileSync(join(folder, 'start.mjs'), 'setInterval(() => {}, 60_000);');
  const launcher = spawn(process.execPath, [join(folder, 'start.mjs')], { stdio: 'ignore' });
  mkdirSync(join(folder, '.data'));
  writeFileSync(join(folder, 'package.json'), '{"name":"trading-automation"}');
  const state = {
    rest_url: product.restUrl,
    graphql_url: product.urlOf('graphql-api'),
    paper_exchange_url: product.paperExchangeUrl,
    pid: launcher.pid,
  };
  writeFileSync(join(folder, '.data', 'dev.json'), JSON.stringify(state));
  /** @type {Set<Run>} */
  const runs = new Set();

  /**
   * Starts `svc` with these arguments. The output can be read while it runs.
   *
   * @param {readonly string[]} args
   * @param {Record<string, string>} [extraEnv] further environment variables
   */
  function begin(args, extraEnv = {}) {
    const run = startRun(process.execPath, [svcFile, ...args], folder, { ...env, ...extraEnv });
    runs.add(run);
    return run;
  }

  return {
    folder,
    begin,
    /**
     * Runs `svc` until it ends.
     *
     * @param {readonly string[]} args
     * @param {Record<string, string>} [extraEnv]
     */
    async svc(args, extraEnv) {
      const run = begin(args, extraEnv);
      const code = await run.ended;
      return { code, stdout: run.stdout(), stderr: run.stderr() };
    },
    /**
     * Runs shell commands, as if a user pasted them into a terminal.
     *
     * @param {string} commands one or more lines
     */
    async shell(commands) {
      const script = `set -euo pipefail\nsvc() { "${process.execPath}" "${svcFile}" "$@"; }\n${commands}`;
      const run = startRun('bash', ['-c', script], folder, env);
      runs.add(run);
      const code = await run.ended;
      return { code, stdout: run.stdout(), stderr: run.stderr() };
    },
    async close() {
      launcher.kill('SIGKILL');
      for (const run of runs) run.kill('SIGKILL');
      await Promise.all([...runs].map(({ ended }) => ended));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @typedef {ReturnType<typeof startRun>} Run */

/**
 * @param {string} file
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 */
function startRun(file, args, cwd, env) {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  /** @type {Set<() => void>} */
  const checks = new Set();
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
      for (const check of checks) check();
    });
  }
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  return {
    ended,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    /** The complete lines of stdout. */
    lines: () => output.stdout.split('\n').slice(0, -1),
    /** @param {NodeJS.Signals} signal */
    kill: (signal) => child.kill(signal),
    /**
     * Resolves once `isExpected` returns true. Rejects if the run ends earlier.
     *
     * @param {string} what the expected output, for the error
     * @param {() => boolean} isExpected
     * @returns {Promise<void>}
     */
    until(what, isExpected) {
      return new Promise((resolve, reject) => {
        const check = () => {
          if (!isExpected()) return;
          checks.delete(check);
          resolve();
        };
        checks.add(check);
        ended.then((code) =>
          reject(
            new Error(
              `svc ${args.join(' ')} ended with code ${code} before ${what}: ${output.stdout}${output.stderr}`,
            ),
          ),
        );
        check();
      });
    },
  };
}

/** Starts a receiver that stores the headers and the raw body of each delivery. */
export async function startRawReceiver() {
  /** @type {{ headers: Record<string, string>, text: string }[]} */
  const received = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = /** @type {Record<string, string>} */ (request.headers);
    received.push({ headers, text: Buffer.concat(chunks).toString() });
    response.writeHead(204).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(() => resolve(undefined)));
    },
  };
}
