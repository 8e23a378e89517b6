import spinnerOf from 'yocto-spinner';
import type { Settings } from '../profile/settings.js';
import type { Terminal } from './terminal.js';

const QUICK_MS = 300;

/** Shows on stderr that something takes its time, where somebody looks on; in a pipe nothing is seen of it. */
export async function withProgress<T>(
  { stderr, noteColors, hasUnicode }: Terminal,
  { isQuiet, isDebug }: Settings,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  if (stderr.isTTY !== true || !noteColors.isColorSupported || isQuiet || isDebug) return work();
  const spinner = spinnerOf({
    text: what,
    stream: stderr as NodeJS.WriteStream,
    // Signals are the command line's to handle.
    handleSignals: false,
    ...(hasUnicode ? {} : { spinner: { frames: ['-', '\\', '|', '/'], interval: 120 } }),
  });
  // What is quick needs no word, and a flicker is none.
  const start = setTimeout(() => spinner.start(), QUICK_MS);
  try {
    return await work();
  } finally {
    clearTimeout(start);
    spinner.stop();
  }
}
