import spinnerOf from 'yocto-spinner';
import type { Settings } from '../profile/settings.js';
import type { Terminal } from './terminal.js';

const SPINNER_DELAY_MS = 300;

/** Runs work with a spinner on stderr, if stderr is a terminal with colours. */
export async function withProgress<T>(
  { stderr, stderrColors, hasUnicode }: Terminal,
  { isQuiet, isDebug }: Settings,
  label: string,
  work: () => Promise<T>,
): Promise<T> {
  if (stderr.isTTY !== true || !stderrColors.isColorSupported || isQuiet || isDebug) return work();
  const spinner = spinnerOf({
    text: label,
    stream: stderr as NodeJS.WriteStream,
    // The command line handles signals itself.
    handleSignals: false,
    ...(hasUnicode ? {} : { spinner: { frames: ['-', '\\', '|', '/'], interval: 120 } }),
  });
  // Quick work shows no spinner, to avoid flicker.
  const start = setTimeout(() => spinner.start(), SPINNER_DELAY_MS);
  try {
    return await work();
  } finally {
    clearTimeout(start);
    spinner.stop();
  }
}
