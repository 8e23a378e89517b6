/**
 * Serves GraphiQL for development. The page and all of its assets come from this server.
 *
 * 1. Only requests that accept HTML get the page; GraphQL requests by GET still work.
 * 2. The Content-Security-Policy allows only assets of this server. The page signs its requests in the browser; the server
 *    authenticates them like any other.
 * 3. Without the setting, no route exists. The build writes the files (`graphiql/build.mjs`); an image does not contain them.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_RESPONSE_HEADERS } from '@trading-automation/runtime/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendNotFound } from './not-found.js';

/** The built files. The path is the same from `src`, which tests run, and from `dist`. */
const BUILT_FILES = fileURLToPath(new URL('../../dist/graphiql/', import.meta.url));

const NOT_BUILT = 'GraphiQL is not built. Run `npm run build`, then reload this page.\n';

const MEDIA_TYPES = new Map([
  ['js', 'text/javascript'],
  ['css', 'text/css'],
]);
/** A file of the bundle. The name contains no slash, so that no path leaves the folder. */
const ASSET = /^[\w-]+(?:\.[\w-]+)*\.(js|css)$/;
/** esbuild adds a hash of the content to the names of shared files, so browsers may keep them. */
const HASHED = /-[A-Z0-9]{8}\.js$/;

const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src data:; connect-src 'self'; frame-ancestors 'none'";

/** Serves the assets of the page. */
export function serveGraphiqlAssets(server: FastifyInstance, folder = BUILT_FILES): void {
  server.get<{ Params: { file: string } }>('/graphiql/:file', async (request, reply) => {
    const { file } = request.params;
    const type = MEDIA_TYPES.get(ASSET.exec(file)?.[1] ?? '');
    const text = type === undefined ? undefined : await readIfExists(join(folder, file));
    if (type === undefined || text === undefined) sendNotFound(server, request, reply);
    else send(reply, type, text, HASHED.test(file) ? { 'cache-control': 'max-age=31536000, immutable' } : {});
    return reply;
  });
}

/** Sends the page if the request accepts HTML; returns whether it did. */
export async function sendGraphiql(
  request: FastifyRequest,
  reply: FastifyReply,
  folder = BUILT_FILES,
): Promise<boolean> {
  const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html') === true;
  if (!isPage) return false;
  const page = await readIfExists(join(folder, 'index.html'));
  if (page === undefined) send(reply.code(503), 'text/plain', NOT_BUILT);
  else send(reply, 'text/html', page);
  return true;
}

const readIfExists = (path: string) => readFile(path, 'utf8').catch(() => undefined);

function send(
  reply: FastifyReply,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  reply
    .headers({ ...DEFAULT_RESPONSE_HEADERS, 'content-security-policy': POLICY, ...headers })
    .header('content-type', `${type}; charset=utf-8`)
    .send(body);
}
