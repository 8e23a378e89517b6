/**
 * Sends the head of a page before its data are loaded, so that the browser loads the files of the page meanwhile.
 *
 * Next.js sends the head with the first part of the body. It sets headers until then; those of a page of a session are the same
 * for all pages, and are complete when the session is known.
 */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';

/** The files of every page of a session, which the build lists. */
interface PageFiles {
  readonly styles: readonly string[];
  readonly fonts: readonly string[];
}

/**
 * Returns the `Link` header of a page of a session. Scripts are not in it: their evaluation would compete with the server for a
 * small machine, and no one needs them before the page.
 *
 * @param dir the folder of the app that contains `.next`
 */
export function pageLinks(dir: string): string {
  const files: PageFiles = JSON.parse(readFileSync(join(dir, '.next', 'page-files.json'), 'utf8'));
  const link = (path: string, kind: string) => `</_next/${path}>; rel=preload; ${kind}`;
  return [
    ...files.styles.map((path) => link(path, 'as=style')),
    ...files.fonts.map((path) => link(path, 'as=font; type="font/woff2"; crossorigin')),
  ].join(', ');
}

/** Responses whose head was sent here. */
const sent = new WeakSet<ServerResponse>();

/** Sends the head now. The body follows as always. */
export function sendHead(response: ServerResponse, link: string): void {
  if (isHeadSent(response)) return;
  sent.add(response);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('cache-control', 'private, no-store');
  response.setHeader('link', link);
  response.flushHeaders();
  // Next.js takes a response whose head was sent for a complete one, and sets headers that were sent.
  Object.defineProperty(response, 'headersSent', { value: false });
  Object.assign(response, {
    setHeader: () => response,
    appendHeader: () => response,
    removeHeader: () => undefined,
    flushHeaders: () => undefined,
  });
}

/** Returns whether the head was sent, here or by Next.js. */
export const isHeadSent = (response: ServerResponse) => response.headersSent || sent.has(response);
