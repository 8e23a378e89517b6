import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pageLinks, sendHead } from './early-head.js';

it('the links name the styles and fonts that the build lists', () => {
  const dir = mkdtempSync(join(tmpdir(), 'early-head-'));
  mkdirSync(join(dir, '.next'));
  const files = { styles: ['static/chunks/0a.css'], fonts: ['static/media/0b.woff2'] };
  writeFileSync(join(dir, '.next', 'page-files.json'), JSON.stringify(files));
  expect(pageLinks(dir)).toBe(
    '</_next/static/chunks/0a.css>; rel=preload; as=style, ' +
      '</_next/static/media/0b.woff2>; rel=preload; as=font; type="font/woff2"; crossorigin',
  );
  rmSync(dir, { recursive: true });
});

it('the head arrives before the body is known, with the headers that were set; later ones are ignored', async () => {
  let render = () => {};
  const rendered = new Promise<void>((resolve) => {
    render = resolve;
  });
  const server = createServer(async (_request, response) => {
    response.setHeader('content-security-policy', "default-src 'self'");
    sendHead(response, '</a.css>; rel=preload; as=style');
    sendHead(response, '</other.css>; rel=preload; as=style');
    await rendered;
    // As Next.js does.
    if (response.headersSent) return;
    response.setHeader('content-type', 'text/plain').appendHeader('link', '</b.css>').removeHeader('link');
    response.flushHeaders();
    response.end('<p>page</p>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [response] = await once(send({ host: '127.0.0.1', port }).end(), 'response');
  render();
  expect(await text(response)).toBe('<p>page</p>');
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-store',
    'content-security-policy': "default-src 'self'",
    link: '</a.css>; rel=preload; as=style',
  });
  server.close();
  await once(server, 'close');
});
