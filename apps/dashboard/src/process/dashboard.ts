/**
 * The HTTP server of the dashboard. It runs the build of Next.js. A stop ends event streams at once and completes all
 * other responses.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Logger } from '@trading-automation/runtime';
import { type Config, provideBuildConfig } from '../config.js';
import { isHeadSent, pageLinks, sendHead } from './early-head.js';
import { behindEdge } from './edge.js';
import { LiveSessions } from './live-sessions.js';
import { inPageRequest } from './page-requests.js';
import { provideRuntime } from './runtime.js';
import { withStaticFiles } from './static-files.js';

/** The types of Next.js describe an ES module; the file is CommonJS. */
const next: typeof import('next').default = createRequire(import.meta.url)('next');

const REQUEST_TIMEOUT_MS = 30_000;

export async function startDashboard(config: Config, logger: Logger) {
  const stopped = new AbortController();
  const { HOST, PORT, PAGE_WAIT_MS } = config;
  const { dir, handle } = await loadPages(PORT, HOST);
  const links = pageLinks(dir);
  const pages = withStaticFiles(dir, (request, response) => {
    const isDocument = request.headers['sec-fetch-dest'] === 'document';
    const onSession = isDocument ? () => sendHead(response, links) : undefined;
    inPageRequest(PAGE_WAIT_MS, onSession, () => {
      handle(request, response).catch((error: unknown) => {
        logger.error({ event: 'request.failed', err: error }, 'A request failed.');
        if (!isHeadSent(response)) response.writeHead(500);
        response.end();
      });
    });
  });
  const listener = behindEdge(config, pages);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, listener);
  const live = new LiveSessions();
  provideRuntime({ config, logger, live, stopping: stopped.signal });
  server.listen(PORT, HOST);
  await once(server, 'listening');
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      stopped.abort();
      live.end();
      await close(server);
    },
  };
}

/** Loads the standalone build. */
async function loadPages(port: number, hostname: string) {
  const app = join(import.meta.dirname, '..', '..');
  const { config } = JSON.parse(readFileSync(join(app, '.next', 'required-server-files.json'), 'utf8'));
  const dir = join(app, '.next', 'standalone', 'apps', 'dashboard');
  provideBuildConfig(config);
  const pages = next({ dev: false, dir, hostname, port });
  await pages.prepare();
  return { dir, handle: pages.getRequestHandler() };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await closed;
}
