import { Client } from '@trading-automation/sdk';
import { createSigner } from '@trading-automation/sdk/signer';
import { ADDRESS_HEADER, dashboardRuntime } from '../process/runtime';
import type { Session } from './session';

/** A read that takes longer is left to the browser, which shows a placeholder meanwhile. */
const READ_WITHIN_MS = 500;

/**
 * Lets the views of a page read the API while the server renders them, with the key of the session and the address of the
 * browser. A page that a person opens extends the session.
 */
export function openPageClient({ privateKey }: Session, headers: Headers): void {
  const { config, pageRequest } = dashboardRuntime();
  const request = pageRequest();
  if (request === undefined) return;
  request.client = new Client({
    baseURL: config.REST_URL,
    graphqlURL: config.GRAPHQL_URL,
    signer: createSigner(privateKey),
    decimals: 'string',
    defaultHeaders: { 'x-forwarded-for': headers.get(ADDRESS_HEADER) ?? '' },
    timeout: READ_WITHIN_MS,
    maxRetries: 0,
    logLevel: 'off',
  });
}
