/**
 * The terminal, or what stands in its place: which ends are screens, which colours and signs they show.
 *
 * Colour, in this order: `--no-color`, NO_COLOR, FORCE_COLOR, TERM=dumb, and else whether the stream is a screen.
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

export interface Terminal extends Streams {
  /** Somebody is there to be asked: both ends are a screen. */
  readonly isInteractive: boolean;
  /** stdout is a screen. */
  readonly isScreen: boolean;
  /** stdout shows colours. */
  readonly hasColor: boolean;
  /** Signs beyond ASCII are shown. */
  readonly hasUnicode: boolean;
  /** Width of stdout. */
  readonly columns: number;
  /** For stdout. */
  readonly colors: Colors;
  /** For stderr. */
  readonly noteColors: Colors;
}

const COLUMNS_DEFAULT = 80;

export function terminalOf(streams: Streams, variables: Variables, isColorWanted = true): Terminal {
  const { stdin, stdout, stderr } = streams;
  const colorOf = ({ isTTY }: Output) => isColorWanted && showsColor(isTTY === true, variables);
  const hasColor = colorOf(stdout);
  return {
    ...streams,
    isInteractive: stdin.isTTY === true && stdout.isTTY === true && variables.TERM !== 'dumb',
    isScreen: stdout.isTTY === true,
    hasColor,
    hasUnicode: showsUnicode(variables),
    get columns() {
      return stdout.columns ?? (Number(variables.COLUMNS) || COLUMNS_DEFAULT);
    },
    colors: pc.createColors(hasColor),
    noteColors: pc.createColors(colorOf(stderr)),
  };
}

function showsColor(isTTY: boolean, { NO_COLOR, FORCE_COLOR, TERM }: Variables): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTTY && TERM !== 'dumb';
}

/** By the locale that counts, the first that is set of LC_ALL, LC_CTYPE and LANG. */
function showsUnicode({ LC_ALL, LC_CTYPE, LANG, TERM, WT_SESSION }: Variables): boolean {
  if (WT_SESSION) return true;
  return TERM !== 'linux' && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}
