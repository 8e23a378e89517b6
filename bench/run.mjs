const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

/**
 * Runs a benchmark, and calls `close` at the end, also after an error or a signal.
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
    // Ignores errors that result from closing everything after a signal.
    if (!isInterrupted) throw error;
  } finally {
    await close();
  }
}
