import type { Terminal } from './terminal/terminal.js';
import { VERSION } from './version.js';

/**
 * Reports a newer release on stderr of an interactive terminal. A background process queries the registry at most once a
 * day. It is disabled by `NO_UPDATE_NOTIFIER`, in CI and in a clone.
 */
export async function noticeUpdate({ isInteractive, stderr }: Terminal): Promise<void> {
  if (!isInteractive || stderr.isTTY !== true || !import.meta.url.includes('/node_modules/')) return;
  try {
    const { default: updateNotifier } = await import('update-notifier');
    updateNotifier({ pkg: { name: '@trading-automation/cli', version: VERSION } }).notify();
  } catch {
    // The notice is optional; its failure must not affect the command.
  }
}
