/**
 * Serves metrics to a scraper. Metrics are internal, so they have a port of their own. By default, the server listens
 * only on loopback.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { port } from './config.js';

/** The settings of the metrics server. */
export const metricsSettings = {
  /** Port of the metrics. Default: metrics are not served. */
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
};

/** A source of metrics: a registry of `prom-client`, or a wrapper of one. */
export interface MetricsSource {
  /** The media type of the metrics. */
  readonly contentType: string;
  /** Returns all current metrics. */
  metrics(): Promise<string>;
}

export interface MetricsServerOptions {
  /** 0 selects a free port. */
  readonly port: number;
  readonly host: string;
  readonly registry: MetricsSource;
  /** Called for every failed scrape. */
  readonly onError: (error: unknown) => void;
}

export interface MetricsServer {
  readonly port: number;
  /** Stops immediately and closes open connections. */
  stop(): Promise<void>;
}

const PATH = '/metrics';
/** A scraper sends small requests, so a slower request does not come from a scraper. */
const REQUEST_TIMEOUT_MS = 5_000;

/** Serves `GET /metrics`. @throws if the port is not available */
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
