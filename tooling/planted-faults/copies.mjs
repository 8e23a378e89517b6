import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyWorkspace } from '../e2e/workspace-copy.mjs';
import { startTestServers, temporaryFolder } from '../launch/test-servers.mjs';
import { addCleanUp } from './signals.mjs';

/**
 * Copies the built workspace, starts the servers of the tests, and calls `work` with the copies. Then it ends the servers and
 * deletes the copies, also if a signal ends this process.
 *
 * @template T
 * @param {{ count: number, withServers: boolean }} options `withServers`: false if no test uses Postgres or Redis
 * @param {(copies: readonly import('./run.mjs').WorkspaceCopy[]) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withCopies({ count, withServers }, work) {
  const folder = temporaryFolder();
  /** @type {() => Promise<void>} */
  let stopServers = async () => {};
  const cleanUp = async () => {
    await stopServers();
    rmSync(folder, { recursive: true, force: true });
  };
  addCleanUp(cleanUp);
  try {
    const servers = await startTestServers({ postgres: withServers, redis: withServers });
    stopServers = servers.stop;
    const folders = Array.from({ length: count }, (_, index) => join(folder, `workspace-${index + 1}`));
    for (const copy of folders) copyWorkspace(copy);
    // An empty URL prevents Jest's global set-up from starting servers that no test uses.
    const { databaseUrl = '', redisUrl = '' } = servers;
    return await work(folders.map((copy) => ({ folder: copy, databaseUrl, redisUrl })));
  } finally {
    await cleanUp();
  }
}
