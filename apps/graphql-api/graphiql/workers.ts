/** The workers of the editor, which validate and complete documents. `build.mjs` bundles them. */

const LANGUAGES = ['graphql', 'json'];

/** Starts the worker of a language; for other tasks, the worker of the editor. */
export function startWorker(label: string): Worker {
  const name = LANGUAGES.includes(label) ? label : 'editor';
  return new Worker(new URL(`${name}.worker.js`, import.meta.url), { type: 'module' });
}
