import type { Terminal } from './terminal/terminal.js';
import { VERSION } from './version.js';

/**
 * Says on stderr, where somebody looks on, that there is a newer release: the registry is asked once a day at most, by
 * a process of its own. `NO_UPDATE_NOTIFIER` and CI turn it off; a checkout is no release.
 */
export async function noticeUpdate({ isInteractive, stderr }: Terminal): Promise<void> {
  if (!isInteractive || stderr.isTTY !== true || !import.meta.url.includes('/node_modules/')) return;
  try {
    const { default: updateNotifier } = await import('update-notifier');
    updateNotifier({ pkg: { name: '@trading-automation/cli', version: VERSION } }).notify();
  } catch {
    // Nothing that anybody asked for.
  }
}
