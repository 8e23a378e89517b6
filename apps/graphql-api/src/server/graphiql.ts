/**
 * Serves GraphiQL for development. The page and all of its assets come from this server.
 *
 * 1. Only requests that accept HTML get the page; GraphQL requests by GET still work.
 * 2. The Content-Security-Policy allows only assets of this server. The page signs its requests in the browser; the server
 *    authenticates them like any other.
 * 3. Without the setting, no route exists. A deployment does not install the packages that contain the assets.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DEFAULT_RESPONSE_HEADERS } from '@trading-automation/runtime/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GRAPHIQL_PREFIX, MODULES_PREFIX, PAGE, SCRIPT, STYLES } from './graphiql-page.js';
import { sendNotFound } from './not-found.js';

const require = createRequire(import.meta.url);

const JAVASCRIPT = 'text/javascript';
const CSS = 'text/css';

/** Assets from development packages, which a deployment does not install. */
const ASSETS: Readonly<Record<string, readonly [module: string, file: string, type: string]>> = {
  'react.js': ['react', 'umd/react.production.min.js', JAVASCRIPT],
  'react-dom.js': ['react-dom', 'umd/react-dom.production.min.js', JAVASCRIPT],
  'graphiql.js': ['graphiql', 'graphiql.min.js', JAVASCRIPT],
  'graphiql.css': ['graphiql', 'graphiql.min.css', CSS],
};

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src data:; connect-src 'self'; frame-ancestors 'none'";

/** Serves the assets of the page. */
export function serveGraphiqlAssets(server: FastifyInstance): void {
  for (const [name, [module, file, type]] of Object.entries(ASSETS)) {
    server.get(GRAPHIQL_PREFIX + name, async (_request, reply) => {
      const folder = dirname(require.resolve(`${module}/package.json`));
      send(reply, type, await readFile(join(folder, file), 'utf8'));
      return reply;
    });
  }
  for (const [name, type, text] of [
    ['start.js', JAVASCRIPT, SCRIPT],
    ['page.css', CSS, STYLES],
  ] as const) {
    server.get(GRAPHIQL_PREFIX + name, async (_request, reply) => {
      send(reply, type, text);
      return reply;
    });
  }
  server.get<{ Params: { '*': string } }>(`${MODULES_PREFIX}*`, async (request, reply) => {
    const text = await moduleText(request.params['*']);
    if (text === undefined) sendNotFound(server, request, reply);
    else send(reply, JAVASCRIPT, text);
    return reply;
  });
}

/** A module of a package: letters, digits, dashes and folders, without dots, so that no path leaves the package. */
const MODULE = /^(signed-request|graphql-ws|@noble\/hashes|@noble\/secp256k1)\/([\w-]+(?:\/[\w-]+)*\.js)$/;
/** An import of a package by its name, which a browser cannot resolve. */
const PACKAGE_IMPORT = /(\bfrom\s*|\bimport\s*)(['"])(@noble\/[\w-]+)(\/[^'"]+)?\2/g;

/** Returns a module for the browser; undefined if the path names none. */
async function moduleText(path: string): Promise<string | undefined> {
  const [, name = '', file = ''] = MODULE.exec(path) ?? [];
  const folder = folderOf(name);
  if (folder === undefined) return undefined;
  const text = await readFile(join(folder, file), 'utf8').catch(() => undefined);
  return text?.replace(
    PACKAGE_IMPORT,
    (_, keyword: string, quote: string, module: string, subpath = '/index.js') =>
      `${keyword}${quote}${MODULES_PREFIX}${module}${subpath}${quote}`,
  );
}

/** Returns the folder with the compiled modules of a package. */
function folderOf(name: string): string | undefined {
  switch (name) {
    case 'signed-request':
      return signedRequestFolder();
    case 'graphql-ws':
      return dirname(require.resolve('graphql-ws'));
    case '@noble/hashes':
      return dirname(
        createRequire(join(signedRequestFolder(), 'browser.js')).resolve('@noble/hashes/sha2.js'),
      );
    case '@noble/secp256k1':
      return dirname(createRequire(join(signedRequestFolder(), 'browser.js')).resolve('@noble/secp256k1'));
    default:
      return undefined;
  }
}

/** Tests resolve the package to its source, which a browser cannot run. */
const signedRequestFolder = () =>
  join(dirname(require.resolve('@trading-automation/signed-request/browser')), '..', 'dist');

/** Sends the page if the request accepts HTML; returns whether it did. */
export function sendGraphiql(request: FastifyRequest, reply: FastifyReply): boolean {
  const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html') === true;
  if (isPage) send(reply, 'text/html', PAGE);
  return isPage;
}

function send(reply: FastifyReply, type: string, body: string): void {
  reply
    .headers({ ...DEFAULT_RESPONSE_HEADERS, 'content-security-policy': POLICY })
    .header('content-type', `${type}; charset=utf-8`)
    .send(body);
}
