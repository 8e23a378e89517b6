/**
 * Serves GraphiQL for development. The page and all of its assets come from this server.
 *
 * 1. Only requests that accept HTML get the page; GraphQL requests by GET still work.
 * 2. The Content-Security-Policy allows only assets of this server. The requests of the page are authenticated like any
 *    other, by headers that the user enters.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DEFAULT_RESPONSE_HEADERS } from '@trading-automation/runtime/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const PREFIX = '/graphiql/';
const require = createRequire(import.meta.url);

/** Assets from development packages, which a deployment does not install. */
const ASSETS: Readonly<Record<string, readonly [module: string, file: string, type: string]>> = {
  'react.js': ['react', 'umd/react.production.min.js', 'text/javascript'],
  'react-dom.js': ['react-dom', 'umd/react-dom.production.min.js', 'text/javascript'],
  'graphiql.js': ['graphiql', 'graphiql.min.js', 'text/javascript'],
  'graphiql.css': ['graphiql', 'graphiql.min.css', 'text/css'],
};

const START = `const fetcher = GraphiQL.createFetcher({ url: '/graphql' });
ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, { fetcher, isHeadersEditorEnabled: true, shouldPersistHeaders: false }),
);
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>GraphiQL</title>
<link rel="stylesheet" href="${PREFIX}graphiql.css">
<style>body { margin: 0 } #graphiql { height: 100vh }</style>
</head>
<body>
<div id="graphiql"></div>
<script src="${PREFIX}react.js"></script>
<script src="${PREFIX}react-dom.js"></script>
<script src="${PREFIX}graphiql.js"></script>
<script src="${PREFIX}start.js"></script>
</body>
</html>
`;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src data:; connect-src 'self'; frame-ancestors 'none'";

/** Serves the assets of the page. */
export function serveGraphiqlAssets(server: FastifyInstance): void {
  for (const [name, [module, file, type]] of Object.entries(ASSETS)) {
    server.get(PREFIX + name, async (_request, reply) => {
      send(
        reply,
        type,
        await readFile(join(dirname(require.resolve(`${module}/package.json`)), file), 'utf8'),
      );
      return reply;
    });
  }
  server.get(`${PREFIX}start.js`, async (_request, reply) => {
    send(reply, 'text/javascript', START);
    return reply;
  });
}

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
