import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { withStaticFiles } from './static-files.js';

const SCRIPT = 'export const answer = 42;';
const FILE = '/_next/static/chunks/0a.js';

let dir: string;
let server: Server;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'static-files-'));
  const chunks = join(dir, '.next', 'static', 'chunks');
  mkdirSync(chunks, { recursive: true });
  writeFileSync(join(chunks, '0a.js'), SCRIPT);
  writeFileSync(join(chunks, '0a.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(chunks, '0a.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(dir, '.next', 'secret.json'), 'secret');
  const pages = withStaticFiles(dir, ({ url }, response) => {
    response.end(`page ${url}`);
  });
  server = createServer(pages).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  rmSync(dir, { recursive: true });
});

/** Sends a path as it is: `fetch` would resolve its dots. */
async function get(path: string, headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const request = send({ host: '127.0.0.1', port, path, headers }).end();
  const [response] = await once(request, 'response');
  return response;
}

describe('files of the build', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', undefined],
  ])('are sent to a browser that accepts %s as %s, to be kept', async (accepted, encoding) => {
    const response = await get(FILE, { 'accept-encoding': accepted });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/javascript',
      'cache-control': 'public,max-age=31536000,immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
    expect(response.headers['content-encoding']).toBe(encoding);
    response.resume();
  });

  it('have their content', async () => {
    const [plain, zipped] = [await get(FILE), await get(FILE, { 'accept-encoding': 'gzip' })];
    expect(await text(plain)).toBe(SCRIPT);
    expect(gunzipSync(Buffer.concat(await zipped.toArray())).toString()).toBe(SCRIPT);
  });

  it('are not sent again to a browser that has them', async () => {
    const first = await get(FILE);
    first.resume();
    const second = await get(FILE, { 'if-none-match': first.headers.etag });
    second.resume();
    expect(second.statusCode).toBe(304);
  });
});

describe('the pages', () => {
  it.each([
    '/trades?status=FILLED',
    '/_next/static/chunks/none.js',
    '/_next/static/../secret.json',
    '/_next/static/%2e%2e/secret.json',
    '/_next/static/..%2fsecret.json',
  ])('get %s unchanged', async (path) => {
    expect(await text(await get(path))).toBe(`page ${path}`);
  });
});
