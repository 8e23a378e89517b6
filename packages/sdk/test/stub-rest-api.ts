/**
 * A stub of a few API routes for programs that use the packed SDK.
 *
 * 1. Signatures are verified with Node's crypto, independently of the service's verifier.
 * 2. A nonce is accepted once. A timestamp may differ by at most five minutes.
 * 3. Decimals are numbers or, on request, strings.
 * 4. Web pages of any origin may call the API.
 * 5. A WebSocket at /graphql sends three ticks for each subscription.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { buildSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

/** A recorded request. */
interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly credential: 'API key' | 'signature' | 'none';
  readonly origin: string | undefined;
}

export interface StubRestApi {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly requests: readonly StubRequest[];
  close(): Promise<void>;
}

const API_KEY = `svc_test_${createHash('sha256').update('key of the stub API').digest('base64url')}`;
/** The SPKI header of a compressed secp256k1 point, which is followed by its 33 bytes. */
const SPKI_PREFIX = '3036301006072a8648ce3d020106052b8104000a032200';
const TIMESTAMP_TOLERANCE_MS = 300_000;
const TRADE_COUNT = 3;
const SCHEMA = 'type Query { tick: Int } type Subscription { tick: Int }';

async function* ticks() {
  for (const tick of [1, 2, 3]) yield { tick };
}

export async function startStubRestApi(): Promise<StubRestApi> {
  const requests: StubRequest[] = [];
  const nonces = new Set<string>();
  const server = createServer((request, response) => {
    void respond(request, response, requests, nonces);
  });
  const sockets = new WebSocketServer({ server, path: '/graphql' });
  useServer({ schema: buildSchema(SCHEMA), roots: { subscription: { tick: ticks } } }, sockets);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: API_KEY,
    requests,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  requests: StubRequest[],
  nonces: Set<string>,
): Promise<void> {
  const { method = '', url = '', headers } = request;
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', 'x-request-id, retry-after');
  if (method === 'OPTIONS') {
    response.setHeader('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE');
    response.setHeader(
      'access-control-allow-headers',
      String(headers['access-control-request-headers'] ?? ''),
    );
    response.writeHead(204).end();
    return;
  }
  const body = await text(request);
  const credential = credentialOf(request, body, nonces);
  requests.push({ method, path: url, credential, origin: headers.origin });
  const withStringDecimals = /decimals=string/.test(headers.accept ?? '');
  const { status, content } = contentOf(
    method,
    new URL(url, 'http://stub'),
    body,
    credential,
    withStringDecimals,
  );
  response.setHeader('x-request-id', `req_${requests.length}`);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}

function credentialOf(
  { method, url, headers }: IncomingMessage,
  body: string,
  nonces: Set<string>,
): StubRequest['credential'] {
  if (headers['x-api-key'] === API_KEY) return 'API key';
  const [pubkey, timestamp, nonce, signature] = ['pubkey', 'timestamp', 'nonce', 'sig'].map((name) =>
    String(headers[`x-svc-${name}`] ?? ''),
  ) as [string, string, string, string];
  if (pubkey === '' || nonces.has(nonce)) return 'none';
  if (!(Math.abs(Date.now() - Number(timestamp)) <= TIMESTAMP_TOLERANCE_MS)) return 'none';
  const digest = createHash('sha256').update(body).digest('hex');
  const key = createPublicKey({
    key: Buffer.from(SPKI_PREFIX + pubkey, 'hex'),
    format: 'der',
    type: 'spki',
  });
  const isValid = verify(
    'sha256',
    Buffer.from([method, url, timestamp, nonce, digest].join('\n')),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'hex'),
  );
  nonces.add(nonce);
  return isValid ? 'signature' : 'none';
}

function contentOf(
  method: string,
  { pathname, searchParams }: URL,
  body: string,
  credential: StubRequest['credential'],
  withStringDecimals: boolean,
): { readonly status: number; readonly content: object } {
  if (credential === 'none')
    return errorContent(401, 'unauthenticated', 'The credential is missing or invalid.');
  if (method === 'GET' && pathname === '/v1/trades')
    return { status: 200, content: page(searchParams, withStringDecimals) };
  if (method === 'POST' && pathname === '/v1/trades') {
    const { amount, side, type } = JSON.parse(body) as { amount: string; side: string; type: string };
    return {
      status: 201,
      content: {
        success: true,
        data: { ...trade(TRADE_COUNT + 1, amount, withStringDecimals), side, type, fills: [] },
      },
    };
  }
  return errorContent(404, 'trade_not_found', 'The trade does not exist.');
}

const errorContent = (status: number, code: string, message: string) => ({
  status,
  content: { success: false, error: { code, message, details: [], request_id: 'req_stub' } },
});

/** Returns one page of the trades. The cursor is the number of the last trade of the previous page. */
function page(search: URLSearchParams, withStringDecimals: boolean) {
  const limit = Number(search.get('limit') ?? TRADE_COUNT);
  const before = Number(search.get('cursor') ?? 0);
  const last = Math.min(before + limit, TRADE_COUNT);
  const data = Array.from({ length: last - before }, (_, i) =>
    trade(before + i + 1, '0.1', withStringDecimals),
  );
  const hasMore = last < TRADE_COUNT;
  return {
    success: true,
    data,
    pagination: { limit, offset: before, has_more: hasMore, next_cursor: hasMore ? String(last) : null },
  };
}

const trade = (number: number, amount: string, withStringDecimals: boolean) => ({
  id: `trd_${String(number).padStart(26, '0')}`,
  status: 'PENDING',
  side: 'BUY',
  type: 'MARKET',
  amount: withStringDecimals ? amount : Number(amount),
});
