import { PassThrough, Readable } from 'node:stream';
import { environmentOf } from '../../src/environment.js';
import { run } from '../../src/run.js';
import { emptyFolder } from './empty-folder.js';

/** The environment of a run. By default, stdout is a pipe and the configuration folder is empty. */
export interface TestEnvironment {
  readonly stdin?: string;
  /** Whether stdout is a screen (a TTY), which gets tables and, unless the variables disable them, colours. */
  readonly isScreen?: boolean;
  readonly columns?: number;
  readonly variables?: Readonly<Record<string, string>>;
  readonly configFolder?: string;
  readonly signal?: AbortSignal;
}

export interface CapturedRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process and captures its output. */
export async function runCaptured(
  argv: readonly string[],
  testEnvironment: TestEnvironment = {},
): Promise<CapturedRun> {
  const { stdin = '', isScreen = false, columns = 100, variables = {} } = testEnvironment;
  const [stdout, stderr] = [captureStream(isScreen, columns), captureStream(false, columns)];
  const folder = testEnvironment.configFolder ?? emptyFolder();
  const exitCode = await run(argv, {
    streams: { stdin: Readable.from([stdin]), stdout: stdout.stream, stderr: stderr.stream },
    environment: environmentOf(
      {
        SVC_CONFIG_DIR: folder,
        SVC_CREDENTIALS: 'file',
        LANG: 'C.UTF-8',
        COLUMNS: String(columns),
        ...variables,
      },
      folder,
    ),
    signal: testEnvironment.signal ?? new AbortController().signal,
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

function captureStream(isTTY: boolean, columns: number) {
  const chunks: Buffer[] = [];
  const stream = Object.assign(new PassThrough(), isTTY ? { isTTY, columns } : {});
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
