/** The page of the request that is being handled. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { provideServerPage, type ServerPage } from '../data/server-page.js';
import { PageData } from './page-data.js';

const requests = new AsyncLocalStorage<ServerPage>();
provideServerPage(() => requests.getStore());

/** Handles a request, so that everything that it causes finds its page. */
export const inPageRequest = (sendHead: ServerPage['sendHead'], handle: () => void) => {
  const page = new PageData();
  page.sendHead = sendHead;
  requests.run(page, handle);
};
