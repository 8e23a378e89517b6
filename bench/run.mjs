const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

/**
 * Runs a benchmark, and lets go of what it started however it ends.
 *
 * @param {() => Promise<void>} work
 * @param {() => Promise<void>} close
 */
export async function runAndClose(work, close) {
  let isInterrupted = false;
  for (const [signal, exitCode] of Object.entries(EXIT_CODES)) {
    process.once(signal, () => {
      isInterrupted = true;
      close().finally(() => process.exit(exitCode));
    });
  }
  try {
    await work();
  } catch (error) {
    // What breaks because everything is being closed is no news.
    if (!isInterrupted) throw error;
  } finally {
    await close();
  }
}
