import { PassThrough, Readable } from 'node:stream';
import { environmentOf } from '../../src/environment.js';
import { Interrupted } from '../../src/failures.js';
import { run } from '../../src/run.js';
import { emptyFolder } from '../support/empty-folder.js';

/** Runs a long-running command in this process. `interrupt` ends it as Ctrl-C does. */
export class RunningCommand {
  private readonly interruption = new AbortController();
  private readonly output = { stdout: '', stderr: '' };
  private readonly waiting = new Set<() => void>();
  private hasEnded = false;
  readonly ended: Promise<number>;

  constructor(
    argv: readonly string[],
    variables: Readonly<Record<string, string>>,
    configFolder: string = emptyFolder(),
  ) {
    this.ended = run(argv, {
      streams: { stdin: Readable.from([]), stdout: this.stream('stdout'), stderr: this.stream('stderr') },
      environment: environmentOf(
        { SVC_CONFIG_DIR: configFolder, SVC_CREDENTIALS: 'file', LANG: 'C.UTF-8', ...variables },
        configFolder,
      ),
      signal: this.interruption.signal,
    }).finally(() => {
      this.hasEnded = true;
      this.notifyWaiters();
    });
  }

  get stdout(): string {
    return this.output.stdout;
  }

  get stderr(): string {
    return this.output.stderr;
  }

  get lines(): readonly string[] {
    return this.output.stdout.split('\n').slice(0, -1);
  }

  /** Waits until `isExpected` returns true for the output. Throws if the command ends before that. */
  async waitUntil(isExpected: (running: RunningCommand) => boolean): Promise<void> {
    while (!isExpected(this)) {
      if (this.hasEnded)
        throw new Error(`the command ended with this output:\n${this.output.stdout}${this.output.stderr}`);
      await new Promise<void>((resolve) => {
        const once = () => {
          this.waiting.delete(once);
          resolve();
        };
        this.waiting.add(once);
      });
    }
  }

  /** Interrupts the command like Ctrl-C and returns its exit code. */
  async interrupt(): Promise<number> {
    this.interruption.abort(new Interrupted());
    return this.ended;
  }

  private stream(name: 'stdout' | 'stderr'): PassThrough {
    const stream = new PassThrough();
    stream.setEncoding('utf8').on('data', (text: string) => {
      this.output[name] += text;
      this.notifyWaiters();
    });
    return stream;
  }

  private notifyWaiters(): void {
    for (const wake of this.waiting) wake();
  }
}
