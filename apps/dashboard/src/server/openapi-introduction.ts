import { dashboardRuntime } from '../process/runtime';

const TIMEOUT_MS = 500;
/** The document changes only with a release of the API. */
const KEPT_MS = 5 * 60_000;
let kept: { readonly text: string; readonly at: number } | undefined;

/** Returns the introduction of the OpenAPI document of the REST API, as Markdown; undefined if it does not respond. */
export async function openApiIntroduction(): Promise<string | undefined> {
  if (kept !== undefined && performance.now() - kept.at < KEPT_MS) return kept.text;
  try {
    const response = await fetch(`${dashboardRuntime().config.REST_URL}/openapi.json`, {
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text: unknown = Object(Object(await response.json()).info).description;
    if (typeof text !== 'string') return undefined;
    kept = { text, at: performance.now() };
    return text;
  } catch {
    // The browser loads the whole document, and reports why it cannot.
    return undefined;
  }
}
