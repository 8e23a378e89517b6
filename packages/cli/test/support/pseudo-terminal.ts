import { spawn } from '@lydell/node-pty';
import stripAnsi from 'strip-ansi';
import { SVC_FILE } from './svc-file.js';

/** Environment variables. An undefined value removes the variable. */
type Variables = Record<string, string | undefined>;

/** Runs a program, such as the built command line, in a real terminal. */
export class PseudoTerminal {
  private text = '';
  private readonly waiting = new Set<() => void>();
  private exitStatus: number | undefined;

  private constructor(private readonly terminal: ReturnType<typeof spawn>) {
    terminal.onData((data) => {
      this.text += data;
      this.notifyWaiters();
    });
    terminal.onExit(({ exitCode, signal }) => {
      this.exitStatus = signal ? 128 + signal : exitCode;
      this.notifyWaiters();
    });
  }

  /** Starts `svc` with these arguments. */
  static svc(argv: readonly string[], variables: Variables, columns = 100): PseudoTerminal {
    return PseudoTerminal.start(process.execPath, [SVC_FILE, ...argv], variables, columns);
  }

  /** Runs a line in a shell in which `svc` is the built command line. */
  static shell(line: string, variables: Variables): PseudoTerminal {
    const script = `svc() { "${process.execPath}" "${SVC_FILE}" "$@"; }; ${line}`;
    return PseudoTerminal.start('/bin/sh', ['-c', script], variables, 100);
  }

  /** Starts an interactive bash without startup files, in which `svc` is the built command line. */
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

  /** All output, including escape sequences. */
  get raw(): string {
    return this.text;
  }

  /** All output without escape sequences. */
  get plain(): string {
    return stripAnsi(this.text).replaceAll('\r\n', '\n');
  }

  type(keys: string): void {
    this.terminal.write(keys);
  }

  /** Waits until the output contains the text. Throws if the process ends before that. */
  async shows(expected: string | RegExp): Promise<void> {
    await this.waitUntil(() =>
      typeof expected === 'string' ? this.plain.includes(expected) : expected.test(this.plain),
    );
  }

  /** Waits until the process has ended and returns its exit code. */
  async end(): Promise<number> {
    await this.waitUntil(() => this.exitStatus !== undefined);
    return this.exitStatus!;
  }

  kill(): void {
    if (this.exitStatus === undefined) this.terminal.kill('SIGKILL');
  }

  private async waitUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.exitStatus !== undefined)
        throw new Error(`the process ended with ${this.exitStatus} and this output:\n${this.plain}`);
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
