/**
 * The page that a scraper reads. It tells how much is done here and how far behind, which is nobody's business
 * outside: it has a port of its own, which is this machine's alone unless the operator says otherwise, and
 * serves nothing else.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { port } from './config.js';

/** The part of a process's configuration that this server reads. */
export const metricsSettings = {
  /** Where metrics are served; without it nowhere. */
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
};

/** What is served: a registry of `prom-client`, or something in front of one. */
export interface MetricsSource {
  /** The media type of the text. */
  readonly contentType: string;
  /** Everything, as of now. */
  metrics(): Promise<string>;
}

export interface MetricsServerOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  readonly registry: MetricsSource;
  /** Told of every scrape that failed. */
  readonly onError: (error: unknown) => void;
}

export interface MetricsServer {
  readonly port: number;
  /** Ends at once, whoever is reading. */
  stop(): Promise<void>;
}

const PATH = '/metrics';
/** A scraper sends a line and some headers; who takes longer is none. */
const REQUEST_TIMEOUT_MS = 5_000;

/** Serves `GET /metrics`. @throws where the port can't be had */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { registry, onError } = options;
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      handleRequest(request, response, registry).catch((error) => {
        onError(error);
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end();
      });
    },
  );
  server.listen(options.port, options.host);
  await once(server, 'listening');
  server.on('error', onError);
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  registry: MetricsSource,
): Promise<void> {
  if (request.url?.split('?', 1)[0] !== PATH) return void response.writeHead(404).end();
  if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end();
  const text = await registry.metrics();
  response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text);
}
