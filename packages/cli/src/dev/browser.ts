import { spawn } from 'node:child_process';

/** The command that opens an address, on each system. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...given: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the user's browser; false where this machine has none to open it with. */
export function openInBrowser(url: string, platform: NodeJS.Platform): Promise<boolean> {
  const [command, ...given] = OPENERS[platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const opener = spawn(command, [...given, url], { stdio: 'ignore', detached: true });
    opener.once('error', () => resolve(false));
    opener.once('spawn', () => {
      opener.unref();
      resolve(true);
    });
  });
}
