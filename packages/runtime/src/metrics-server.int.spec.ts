import { connect } from 'node:net';
import { z } from 'zod';
import { readConfig } from './config.js';
import { type MetricsServer, type MetricsSource, metricsSettings, serveMetrics } from './metrics-server.js';

const registry: MetricsSource = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  metrics: async () => 'things_total 3\n',
};
let errors: unknown[];
let server: MetricsServer | undefined;

beforeEach(() => {
  errors = [];
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function serve(source: MetricsSource = registry): Promise<string> {
  server = await serveMetrics({
    port: 0,
    host: '127.0.0.1',
    registry: source,
    onError: (error) => errors.push(error),
  });
  return `http://127.0.0.1:${server.port}`;
}

describe('the metrics server', () => {
  it('responds to GET /metrics with the metrics, their content type and no-store', async () => {
    const response = await fetch(`${await serve()}/metrics?name=things`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(registry.contentType);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toBe('things_total 3\n');
  });

  it.each([
    ['GET', '/', 404],
    ['GET', '/metrics/', 404],
    ['GET', '/Metrics', 404],
    ['POST', '/metrics', 405],
    ['DELETE', '/metrics', 405],
  ])('responds to %s %s with %i and an empty body', async (method, path, status) => {
    const response = await fetch(`${await serve()}${path}`, { method });
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  it('responds to a failed scrape with an empty 500, reports the error and serves the next scrape', async () => {
    let isBroken = true;
    const origin = await serve({
      ...registry,
      metrics: async () => {
        if (isBroken) throw new Error('secret');
        return 'fine 1\n';
      },
    });
    const failed = await fetch(`${origin}/metrics`);
    expect([failed.status, await failed.text()]).toEqual([500, '']);
    expect(errors).toEqual([new Error('secret')]);
    isBroken = false;
    expect((await fetch(`${origin}/metrics`)).status).toBe(200);
  });

  it('stops immediately despite a running scrape and an idle connection', async () => {
    let markRequested = () => {};
    const requested = new Promise<void>((resolve) => {
      markRequested = resolve;
    });
    const origin = await serve({
      ...registry,
      metrics: () => {
        markRequested();
        return new Promise(() => undefined);
      },
    });
    const scrape = fetch(`${origin}/metrics`).catch(() => 'disconnected');
    const idle = connect(Number(new URL(origin).port), '127.0.0.1');
    idle.on('error', () => undefined);
    const ended = new Promise((resolve) => idle.on('close', resolve));
    await requested;
    await server?.stop();
    server = undefined;
    expect(await scrape).toBe('disconnected');
    await ended;
  });

  it('does not start on a port that is in use', async () => {
    await serve();
    const secondServer = serveMetrics({
      port: server?.port ?? 0,
      host: '127.0.0.1',
      registry,
      onError: () => undefined,
    });
    await expect(secondServer).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('is disabled by default, and listens only on loopback unless configured otherwise', () => {
    const schema = z.object(metricsSettings);
    expect(readConfig(schema, {})).toEqual({ METRICS_HOST: '127.0.0.1' });
    expect(readConfig(schema, { METRICS_PORT: '9464', METRICS_HOST: '::' })).toEqual({
      METRICS_PORT: 9464,
      METRICS_HOST: '::',
    });
    expect(() => readConfig(schema, { METRICS_PORT: 'many' })).toThrow('METRICS_PORT');
  });
});
