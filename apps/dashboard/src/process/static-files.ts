/**
 * The files of the build: scripts, styles and fonts. They are compressed once, by the build, so that a page's many files don't
 * compete for the processor with the rendering of pages. Their names contain a hash of their content.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import sirv from 'sirv';

const PREFIX = '/_next/static/';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Returns a handler that answers requests for files of the build, and leaves all others to `pages`.
 *
 * @param dir the folder of the app that contains `.next`
 */
export function withStaticFiles(dir: string, pages: Handler): Handler {
  const files = sirv(join(dir, '.next', 'static'), {
    etag: true,
    gzip: true,
    brotli: true,
    immutable: true,
    maxAge: 31_536_000,
    setHeaders: (response) => response.setHeader('x-content-type-options', 'nosniff'),
  });
  return (request, response) => {
    const { url } = request;
    if (url?.startsWith(PREFIX) !== true) return pages(request, response);
    request.url = url.slice(PREFIX.length - 1);
    files(request, response, () => {
      request.url = url;
      pages(request, response);
    });
  };
}
