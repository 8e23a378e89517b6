/**
 * The HTTP server of the dashboard. It runs the build of Next.js.
 *
 * 1. A request for a host other than that of PUBLIC_URL never reaches a page, so that no other name leads to a session.
 * 2. The address of the browser is computed here, from the connection and the trusted proxies; what a client claims is
 *    removed. The pages' server code reads it from one header.
 * 3. A stop ends event streams at once and completes all other responses.
 */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Logger } from '@trading-automation/runtime';
import { addressReader } from '@trading-automation/runtime/edge';
import { type Config, provideBuildConfig } from '../config.js';
import { LiveSessions } from './live-sessions.js';
import { ADDRESS_HEADER, provideRuntime } from './runtime.js';

/** The types of Next.js describe an ES module; the file is CommonJS. */
const next: typeof import('next').default = createRequire(import.meta.url)('next');

const REQUEST_TIMEOUT_MS = 30_000;
/** Headers of proxies, from which Next.js would build URLs and addresses. */
const FORWARDED = /^(?:forwarded|x-forwarded-.+|x-real-ip|x-client-address|x-middleware-.+|x-nonce)$/;

export async function startDashboard(config: Config, logger: Logger) {
  const stopped = new AbortController();
  const { HOST, PORT, PUBLIC_URL } = config;
  const handle = await loadPages(PORT, HOST);
  const addressOf = addressReader(config.TRUSTED_PROXIES);
  const { host, origin } = new URL(PUBLIC_URL);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (request.url === '/healthz') return void response.end('ok');
    if (request.headers.host !== host) {
      // Development has several names for the same machine; a page leads to the one that has the session.
      const isPage = request.method === 'GET' && request.headers['sec-fetch-dest'] === 'document';
      if (isPage) response.writeHead(307, { location: `${origin}/` }).end();
      else response.writeHead(421).end();
      return;
    }
    replaceAddress(request, addressOf(request));
    handle(request, response).catch((error: unknown) => {
      logger.error({ event: 'request.failed', err: error }, 'A request failed.');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
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

/** Loads the build: the standalone one of an image or of this folder. */
async function loadPages(port: number, hostname: string) {
  const app = join(import.meta.dirname, '..', '..');
  const { config } = JSON.parse(readFileSync(join(app, '.next', 'required-server-files.json'), 'utf8'));
  const standalone = join(app, '.next', 'standalone', 'apps', 'dashboard');
  const dir = existsSync(standalone) ? standalone : app;
  provideBuildConfig(config);
  const pages = next({ dev: false, dir, hostname, port });
  await pages.prepare();
  return pages.getRequestHandler();
}

function replaceAddress(request: IncomingMessage, address: string): void {
  for (const name of Object.keys(request.headers)) if (FORWARDED.test(name)) delete request.headers[name];
  request.headers[ADDRESS_HEADER] = address;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await closed;
}
