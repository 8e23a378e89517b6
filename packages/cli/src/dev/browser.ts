import { spawn } from 'node:child_process';

/** The command that opens an address, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the user's browser. Returns false if the command that opens it cannot be started. */
export function openInBrowser(url: string, platform: NodeJS.Platform): Promise<boolean> {
  const [command, ...args] = OPENERS[platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const opener = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
    opener.once('error', () => resolve(false));
    opener.once('spawn', () => {
      opener.unref();
      resolve(true);
    });
  });
}
