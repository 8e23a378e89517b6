/**
 * The capabilities of the terminal: which streams are screens, and whether they support colours and Unicode. A stream
 * is a screen if a user sees it in a terminal (a TTY); otherwise, it is a pipe or a file.
 *
 * In this order, `--no-color`, NO_COLOR, FORCE_COLOR and TERM=dumb decide on colours. Otherwise, only screens get them.
 */
import pc from 'picocolors';
import type { Variables } from '../environment.js';

export type Colors = ReturnType<typeof pc.createColors>;

interface Input extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
}
export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The three streams of a process. */
export interface Streams {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
}

const COLUMNS_DEFAULT = 80;

export class Terminal implements Streams {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether the user can be prompted: stdin and stdout are a TTY, and TERM is not dumb. */
  readonly isInteractive: boolean;
  /** Whether stdout is a screen (a TTY), not a pipe or a file. */
  readonly isScreen: boolean;
  /** Whether stdout supports colours. */
  readonly hasColor: boolean;
  /** Whether the terminal supports Unicode. */
  readonly hasUnicode: boolean;
  /** Colours for stdout. */
  readonly colors: Colors;
  /** Colours for stderr. */
  readonly stderrColors: Colors;

  constructor(
    { stdin, stdout, stderr }: Streams,
    private readonly variables: Variables,
    isColorWanted = true,
  ) {
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    const colorOf = ({ isTTY }: Output) => isColorWanted && showsColor(isTTY === true, variables);
    this.isInteractive = stdin.isTTY === true && stdout.isTTY === true && variables.TERM !== 'dumb';
    this.isScreen = stdout.isTTY === true;
    this.hasColor = colorOf(stdout);
    this.hasUnicode = showsUnicode(variables);
    this.colors = pc.createColors(this.hasColor);
    this.stderrColors = pc.createColors(colorOf(stderr));
  }

  /** Width of stdout. */
  get columns(): number {
    return this.stdout.columns ?? (Number(this.variables.COLUMNS) || COLUMNS_DEFAULT);
  }
}

function showsColor(isTTY: boolean, { NO_COLOR, FORCE_COLOR, TERM }: Variables): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTTY && TERM !== 'dumb';
}

/** Returns whether the locale is UTF-8. The locale is the first of LC_ALL, LC_CTYPE and LANG that is set. */
function showsUnicode({ LC_ALL, LC_CTYPE, LANG, TERM, WT_SESSION }: Variables): boolean {
  if (WT_SESSION) return true;
  return TERM !== 'linux' && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}
