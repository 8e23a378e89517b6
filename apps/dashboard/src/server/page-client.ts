import { Client } from '@trading-automation/sdk';
import { createSigner } from '@trading-automation/sdk/signer';
import { serverPage } from '../data/server-page';
import { ADDRESS_HEADER, dashboardRuntime } from '../process/runtime';
import type { Session } from './session';

/**
 * Lets the views of a page read the API while the server renders them, with the key of the session and the address of the
 * browser. A page that a person opens extends the session.
 */
export function openPageClient({ privateKey }: Session, headers: Headers): void {
  const { config } = dashboardRuntime();
  const page = serverPage();
  if (page === undefined) return;
  page.sendHead?.();
  page.client = new Client({
    baseURL: config.REST_URL,
    graphqlURL: config.GRAPHQL_URL,
    signer: createSigner(privateKey),
    decimals: 'string',
    defaultHeaders: { 'x-forwarded-for': headers.get(ADDRESS_HEADER) ?? '' },
    // A read that takes longer is left to the browser, which shows a placeholder meanwhile.
    timeout: page.waitMs,
    maxRetries: 0,
    logLevel: 'off',
  });
}
