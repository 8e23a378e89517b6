import { PassThrough, Readable } from 'node:stream';
import { environmentOf } from '../../src/environment.js';
import { Interrupted } from '../../src/failures.js';
import { run } from '../../src/run.js';
import { emptyFolder } from '../support/empty-folder.js';

/** A run that goes on in this process, and can be ended as Ctrl-C ends it. */
export class RunningCommand {
  private readonly interruption = new AbortController();
  private readonly said = { stdout: '', stderr: '' };
  private readonly waiting = new Set<() => void>();
  private isOver = false;
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
      this.isOver = true;
      this.notifyWaiters();
    });
  }

  get stdout(): string {
    return this.said.stdout;
  }

  get stderr(): string {
    return this.said.stderr;
  }

  get lines(): readonly string[] {
    return this.said.stdout.split('\n').slice(0, -1);
  }

  /** Once what it said is as expected. */
  async waitUntil(isExpected: (running: RunningCommand) => boolean): Promise<void> {
    while (!isExpected(this)) {
      if (this.isOver) throw new Error(`it ended and had said:\n${this.said.stdout}${this.said.stderr}`);
      await new Promise<void>((resolve) => {
        const once = () => {
          this.waiting.delete(once);
          resolve();
        };
        this.waiting.add(once);
      });
    }
  }

  /** Ctrl-C; the exit code. */
  async interrupt(): Promise<number> {
    this.interruption.abort(new Interrupted());
    return this.ended;
  }

  private stream(name: 'stdout' | 'stderr'): PassThrough {
    const stream = new PassThrough();
    stream.setEncoding('utf8').on('data', (text: string) => {
      this.said[name] += text;
      this.notifyWaiters();
    });
    return stream;
  }

  private notifyWaiters(): void {
    for (const wake of this.waiting) wake();
  }
}
