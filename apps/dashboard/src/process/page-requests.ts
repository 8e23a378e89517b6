/**
 * The request whose page this process renders. Components that run on the server and in the browser cannot get it as a
 * property, because a property is sent to the browser.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from '@trading-automation/sdk';
import { PageData } from './page-data.js';

export class PageRequest {
  /** The API with the credential of the page's session; undefined for a page without a session. */
  client?: Client<'string'>;
  readonly data = new PageData();
}

const requests = new AsyncLocalStorage<PageRequest>();

/** Handles a request, so that everything that it causes finds it. */
export const inPageRequest = (handle: () => void) => requests.run(new PageRequest(), handle);

/** Returns the request that is being handled; undefined outside of one. */
export const pageRequest = () => requests.getStore();
