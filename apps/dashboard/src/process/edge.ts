/**
 * The first and only door of the HTTP server.
 *
 * 1. A request for a host other than that of PUBLIC_URL never reaches a page, so that no other name leads to a session.
 * 2. The address of the browser is computed here, from the connection and the trusted proxies; what a client claims is
 *    removed. The pages' server code reads it from one header.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addressReader } from '@trading-automation/runtime/edge';
import type { Config } from '../config.js';
import { ADDRESS_HEADER } from './runtime.js';

/** Headers of proxies and of Next.js itself, which a client must not choose. */
const FORWARDED = /^(?:forwarded|x-forwarded-.+|x-real-ip|x-client-address|x-middleware-.+|x-nonce|x-page)$/;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Wraps the handler of the pages, so that only requests for this dashboard reach it. */
export function behindEdge(
  { PUBLIC_URL, TRUSTED_PROXIES }: Pick<Config, 'PUBLIC_URL' | 'TRUSTED_PROXIES'>,
  handle: Listener,
): Listener {
  const addressOf = addressReader(TRUSTED_PROXIES);
  const { host, origin } = new URL(PUBLIC_URL);
  return (request, response) => {
    if (request.url === '/healthz') response.end('ok');
    else if (request.headers.host !== host) refuseHost(request, response, origin);
    else {
      replaceAddress(request, addressOf(request));
      handle(request, response);
    }
  };
}

function refuseHost({ method, headers }: IncomingMessage, response: ServerResponse, origin: string): void {
  // Development has several names for the same machine; a page leads to the one that has the session.
  const isPage = method === 'GET' && headers['sec-fetch-dest'] === 'document';
  if (isPage) response.writeHead(307, { location: `${origin}/` }).end();
  else response.writeHead(421).end();
}

function replaceAddress(request: IncomingMessage, address: string): void {
  for (const name of Object.keys(request.headers)) if (FORWARDED.test(name)) delete request.headers[name];
  request.headers[ADDRESS_HEADER] = address;
}
