import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { provideSampleRuntime, SAMPLE_ORIGIN } from '../../process/runtime.sample';

type Handler = (request: Request, context: object) => Promise<Response>;

const routes = readdirSync(import.meta.dirname, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith('route.ts'))
  .map((path) => path.replaceAll('\\', '/'));

// Without the address of an API: a request that is not refused fails.
beforeAll(() => provideSampleRuntime());

describe('the routes', () => {
  it('are all found', () => {
    expect(routes.length).toBeGreaterThanOrEqual(10);
  });

  it.each(routes)('%s refuse a request that another site causes', async (path) => {
    const handlers: Record<string, Handler> = await import(join(import.meta.dirname, path));
    const methods = Object.keys(handlers);
    expect(methods.filter((method) => !/^(?:GET|POST|PUT|PATCH|DELETE)$/.test(method))).toEqual([]);
    expect(methods.length).toBeGreaterThan(0);
    for (const method of methods) {
      const url = `${SAMPLE_ORIGIN}/api/${path.replace('/route.ts', '').replace('[...path]', 'me')}`;
      const headers = { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' };
      const response = await handlers[method]?.(new Request(url, { method, headers }), {});
      expect([response?.status, response?.headers.getSetCookie()]).toEqual([403, []]);
    }
  });
});
