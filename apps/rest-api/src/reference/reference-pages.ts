/**
 * What the reference consists of: the document, the page that shows it, and a plain text.
 *
 * The page loads from this server alone. Its content policy holds it to that, so that nobody else learns who reads
 * it, and an API key that is tried out on it can go nowhere else.
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
  /** Its path names its content: it can be kept for ever. */
  readonly isVersioned: boolean;
  /** Set where the page may load anything at all. */
  readonly contentPolicy?: string;
}

/** Styles are inline: the viewer sets them element by element. */
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

/** Starts the viewer; nothing of it is fetched from, or told to, its maker. */
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

/** The committed document: what was reviewed is what is served. */
const documentFile = new URL('../../openapi.json', import.meta.url);

/** The viewer comes ready for browsers in one file, beside the plugin for servers that its package is. */
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
    <noscript>The same in plain text: <a href="/llms.txt">/llms.txt</a>, <a href="/openapi.json">/openapi.json</a></noscript>
    <script src="${viewer}"></script>
    <script src="${start}"></script>
  </body>
</html>
`;
}
