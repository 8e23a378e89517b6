import { spawn } from '@lydell/node-pty';
import stripAnsi from 'strip-ansi';
import { SVC_FILE } from './svc-file.js';

/** Of the environment; what is undefined is not in it. */
type Variables = Record<string, string | undefined>;

/** The built command line in a real terminal. */
export class PseudoTerminal {
  private text = '';
  private readonly waiting = new Set<() => void>();
  private ended: number | undefined;

  private constructor(private readonly terminal: ReturnType<typeof spawn>) {
    terminal.onData((data) => {
      this.text += data;
      this.notifyWaiters();
    });
    terminal.onExit(({ exitCode, signal }) => {
      this.ended = signal ? 128 + signal : exitCode;
      this.notifyWaiters();
    });
  }

  /** `svc` with these arguments. */
  static svc(argv: readonly string[], variables: Variables, columns = 100): PseudoTerminal {
    return PseudoTerminal.start(process.execPath, [SVC_FILE, ...argv], variables, columns);
  }

  /** A line of a shell, in which `svc` is the command line. */
  static shell(line: string, variables: Variables): PseudoTerminal {
    const script = `svc() { "${process.execPath}" "${SVC_FILE}" "$@"; }; ${line}`;
    return PseudoTerminal.start('/bin/sh', ['-c', script], variables, 100);
  }

  /** A bash that somebody types into, in which `svc` is the command line, and nothing else is as it comes installed. */
  static bash(variables: Variables): PseudoTerminal {
    const terminal = PseudoTerminal.start('bash', ['--noprofile', '--norc', '-i'], variables, 100);
    terminal.type(`svc() { "${process.execPath}" "${SVC_FILE}" "$@"; }\r`);
    return terminal;
  }

  private static start(
    file: string,
    argv: readonly string[],
    variables: Variables,
    columns: number,
  ): PseudoTerminal {
    const env: Variables = {
      PATH: process.env.PATH ?? '',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      SVC_CREDENTIALS: 'file',
      NO_UPDATE_NOTIFIER: '1',
      ...variables,
    };
    for (const [name, value] of Object.entries(env)) if (value === undefined) delete env[name];
    const name = env.TERM ?? '';
    return new PseudoTerminal(spawn(file, [...argv], { name, cols: columns, rows: 40, env }));
  }

  /** Everything that the screen was sent, escapes and all. */
  get raw(): string {
    return this.text;
  }

  /** Without colours and movements. */
  get plain(): string {
    return stripAnsi(this.text).replaceAll('\r\n', '\n');
  }

  type(keys: string): void {
    this.terminal.write(keys);
  }

  /** Once the screen shows it. */
  async shows(wanted: string | RegExp): Promise<void> {
    await this.waitUntil(() =>
      typeof wanted === 'string' ? this.plain.includes(wanted) : wanted.test(this.plain),
    );
  }

  /** The exit code, once it ended. */
  async end(): Promise<number> {
    await this.waitUntil(() => this.ended !== undefined);
    return this.ended!;
  }

  kill(): void {
    if (this.ended === undefined) this.terminal.kill('SIGKILL');
  }

  private async waitUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.ended !== undefined) throw new Error(`it ended with ${this.ended} and showed:\n${this.plain}`);
      await new Promise<void>((resolve) => {
        const once = () => {
          this.waiting.delete(once);
          resolve();
        };
        this.waiting.add(once);
      });
    }
  }

  private notifyWaiters(): void {
    for (const wake of this.waiting) wake();
  }
}
