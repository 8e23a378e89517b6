'use client';
/**
 * The client of the API in a page. Requests go to this dashboard's own server, which signs them. While the server renders
 * the page, they go to the API at once.
 *
 * A request that no input caused is marked, so that it does not extend the session.
 */
import { Client } from '@trading-automation/sdk';
import { isUserActive } from './activity';
import { serverPage } from './server-page';
import { READS_AT_ONCE, Turns } from './turns';

let client: Client<'string'> | undefined;

/** Returns the client of this page. Decimals are strings, so that no digit is lost. */
export function api(): Client<'string'> {
  if (typeof window === 'undefined') return clientOfRequest();
  client ??= new Client({
    baseURL: window.location.origin,
    graphqlURL: window.location.origin,
    apiKey: null,
    decimals: 'string',
    logLevel: 'off',
    // A person waits for the answer; a view that failed is loaded again in any case.
    maxRetries: 1,
    fetch: sendToServer,
  });
  return client;
}

function clientOfRequest(): Client<'string'> {
  const ofRequest = serverPage()?.client;
  if (ofRequest === undefined) throw new Error('Only a page of a session can call the API.');
  return ofRequest;
}

const reads = new Turns(READS_AT_ONCE);
let isHeld = false;

/**
 * Holds back all requests of this page, for a page that is about to leave: once its session has ended they would only be
 * refused.
 */
export function holdRequests(hold: boolean): void {
  isHeld = hold;
}

function sendToServer(url: string, init: RequestInit): Promise<Response> {
  if (isHeld) return new Promise(() => {});
  const { origin, pathname, search } = new URL(url);
  const headers = new Headers(init.headers);
  if (!isUserActive()) headers.set('x-background', 'true');
  const send = () => fetch(`${origin}/api${pathname}${search}`, { ...init, headers });
  // What a person does never waits for reads that get no response.
  return init.method === 'GET' ? reads.run(send) : send();
}
