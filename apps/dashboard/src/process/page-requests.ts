/** The page of the request that is being handled. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { provideServerPage, type ServerPage } from '../data/server-page.js';
import { PageData } from './page-data.js';

const requests = new AsyncLocalStorage<ServerPage>();
provideServerPage(() => requests.getStore());

/** Handles a request, so that everything that it causes finds its page. The page waits `waitMs` for its data, at most. */
export const inPageRequest = (waitMs: number, sendHead: ServerPage['sendHead'], handle: () => void) => {
  const page = new PageData(waitMs);
  page.sendHead = sendHead;
  requests.run(page, handle);
};
