import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentIn, svcFile } from '../launch/svc.mjs';

/**
 * A home of its own for runs of `svc`: an empty configuration, secrets in a file. Its folder looks like a checkout in
 * which `npm start` runs the product.
 *
 * @param {import('./product.mjs').Product} product
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
   * Begins a run; what it says is there as it comes.
   *
   * @param {readonly string[]} given
   * @param {Record<string, string>} [more] variables
   */
  function begin(given, more = {}) {
    const run = startRun(process.execPath, [svcFile, ...given], folder, { ...env, ...more });
    runs.add(run);
    return run;
  }

  return {
    folder,
    begin,
    /**
     * A run until its end.
     *
     * @param {readonly string[]} given
     * @param {Record<string, string>} [more]
     */
    async svc(given, more) {
      const run = begin(given, more);
      const code = await run.ended;
      return { code, stdout: run.stdout(), stderr: run.stderr() };
    },
    /**
     * Lines as they are pasted into a shell.
     *
     * @param {string} lines
     */
    async shell(lines) {
      const script = `set -euo pipefail\nsvc() { "${process.execPath}" "${svcFile}" "$@"; }\n${lines}`;
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
 * @param {readonly string[]} given
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 */
function startRun(file, given, cwd, env) {
  const child = spawn(file, given, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  /** @type {Set<() => void>} */
  const waiting = new Set();
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text;
      for (const look of waiting) look();
    });
  }
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  return {
    ended,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    /** Lines of stdout that are complete. */
    lines: () => said.stdout.split('\n').slice(0, -1),
    /** @param {NodeJS.Signals} signal */
    kill: (signal) => child.kill(signal),
    /**
     * As soon as what was said is as expected; the end of the run ends the waiting.
     *
     * @param {string} what
     * @param {() => boolean} isExpected
     * @returns {Promise<void>}
     */
    until(what, isExpected) {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (!isExpected()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        ended.then((code) =>
          reject(
            new Error(
              `svc ${given.join(' ')} ended with ${code}, without ${what}: ${said.stdout}${said.stderr}`,
            ),
          ),
        );
        look();
      });
    },
  };
}

/** A receiver that keeps each delivery as it came. */
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
