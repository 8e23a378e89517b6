'use client';
/**
 * Code that a page loads after its start. Each late import goes through `loadLate`: a tab that was open while the dashboard
 * was updated asks for code that its server does not have any more, and must say so.
 */

/** Code of the page could not be loaded. `cause` is why. */
export class MissingCodeError extends Error {
  override readonly name = 'MissingCodeError';

  constructor(cause: unknown) {
    super(MISSING_CODE, { cause });
  }
}

export const MISSING_CODE = 'The dashboard was updated or cannot be reached.';

let isMissing = false;
const changes = new EventTarget();

/**
 * Imports code, with a second attempt after a failure.
 *
 * @param load imports it
 * @throws {MissingCodeError}
 */
export async function loadLate<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load().catch(load);
  } catch (cause) {
    isMissing = true;
    changes.dispatchEvent(new Event('missing'));
    throw new MissingCodeError(cause);
  }
}

/** Returns whether an error means that code could not be loaded: late code, or that of a page (the name is the bundler's). */
export const isMissingCode = (error: unknown): boolean =>
  /^(MissingCode|ChunkLoad)Error$/.test(Object(error).name);

/** Returns whether code was missing since the page was opened. */
export const wasCodeMissing = () => isMissing;

/** Calls `listener` whenever code is missing. Returns a function that stops it. */
export function onMissingCode(listener: () => void): () => void {
  changes.addEventListener('missing', listener);
  return () => changes.removeEventListener('missing', listener);
}
