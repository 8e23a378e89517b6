/** Starts an unlocked keyring of a Linux desktop on its own D-Bus. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { emptyFolder } from './empty-folder.js';

/** The configuration has no service folders: otherwise, the bus could start another keyring, which is locked. */
const busOf = (folder: string) => `<busconfig>
  <type>session</type>
  <listen>unix:path=${folder}/bus</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>`;

export class DesktopKeyring {
  private constructor(
    /** Environment variables with which programs find the keyring. */
    readonly variables: Readonly<Record<string, string>>,
    private readonly bus: ChildProcess,
    private readonly daemon: ChildProcess,
  ) {}

  static async start(): Promise<DesktopKeyring> {
    const folder = emptyFolder();
    const config = join(folder, 'bus.xml');
    writeFileSync(config, busOf(folder));
    const bus = spawn('dbus-daemon', ['--nofork', '--print-address', `--config-file=${config}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [address] = (await once(createInterface(bus.stdout), 'line')) as [string];
    const runtime = join(folder, 'runtime');
    mkdirSync(runtime, { mode: 0o700 });
    const variables = { DBUS_SESSION_BUS_ADDRESS: address, HOME: folder, XDG_RUNTIME_DIR: runtime };
    const env = { ...process.env, ...variables, XDG_DATA_HOME: join(folder, 'data') };
    const daemon = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    daemon.stdin.end('an unused password');
    const keyring = new DesktopKeyring(variables, bus, daemon);
    while (!isOnBus(env)) {
      if (daemon.exitCode !== null) throw new Error(`gnome-keyring-daemon ended with ${daemon.exitCode}`);
      await wait(50);
    }
    return keyring;
  }

  /** Stops the keyring, but not the bus. */
  async stop(): Promise<void> {
    await endProcess(this.daemon);
  }

  async close(): Promise<void> {
    await Promise.all([endProcess(this.daemon), endProcess(this.bus)]);
  }
}

function isOnBus(env: NodeJS.ProcessEnv): boolean {
  const method = 'org.freedesktop.DBus.GetNameOwner';
  const args = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/', method];
  return spawnSync('dbus-send', [...args, 'string:org.freedesktop.secrets'], { env }).status === 0;
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
