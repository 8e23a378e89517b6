/**
 * Creates the pages of the reference: the OpenAPI document, the page that shows it, and a plain text for language
 * models (`/llms.txt`).
 *
 * The content security policy allows the page to load only from this server. Third parties therefore cannot learn who
 * reads the page, and an API key that a user enters on it cannot be sent elsewhere.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { OPERATIONS } from '@trading-automation/contracts';
import { llmsText } from './llms-text.js';

export interface ReferencePage {
  readonly path: string;
  readonly type: string;
  readonly text: string;
  /** True if the path contains a hash of the content, so that clients can cache it permanently. */
  readonly isVersioned: boolean;
  /** Content security policy; absent for pages that load nothing. */
  readonly contentPolicy?: string;
}

/** Inline styles are allowed because the viewer sets them on its elements. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The script that starts the viewer. The settings prevent requests to the vendor of the viewer. */
const START = `Scalar.createApiReference('#reference', ${JSON.stringify({
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'ApiKey' },
  documentDownloadType: 'direct',
  orderSchemaPropertiesBy: 'preserve',
})});
`;

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

function asset(name: string, text: string): ReferencePage {
  const path = `/docs/assets/${digest(text)}/${name}`;
  return { path, type: 'text/javascript; charset=utf-8', text, isVersioned: true };
}

export function referencePages(): readonly ReferencePage[] {
  const viewer = asset('scalar.js', readFileSync(viewerFile(), 'utf8'));
  const start = asset('start.js', START);
  const page = (path: string, type: string, text: string) => ({ path, type, text, isVersioned: false });
  return [
    page('/openapi.json', 'application/json; charset=utf-8', readFileSync(documentFile, 'utf8')),
    page('/llms.txt', 'text/plain; charset=utf-8', llmsText(OPERATIONS)),
    {
      ...page('/docs', 'text/html; charset=utf-8', html(viewer.path, start.path)),
      contentPolicy: CONTENT_POLICY,
    },
    viewer,
    start,
  ];
}

/** The committed OpenAPI document, so that the server serves exactly the document that was reviewed. */
const documentFile = new URL('../../openapi.json', import.meta.url);

/** Returns the file URL of the viewer's browser bundle, which the package of the viewer's Fastify plugin contains. */
function viewerFile(): URL {
  const require = createRequire(import.meta.url);
  const entry = pathToFileURL(require.resolve('@scalar/fastify-api-reference'));
  return new URL('js/standalone.js', entry);
}

function html(viewer: string, start: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Trading Automation API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. Without it, read <a href="/llms.txt">/llms.txt</a> or <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script src="${viewer}"></script>
    <script src="${start}"></script>
  </body>
</html>
`;
}
