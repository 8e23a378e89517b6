/**
 * A view that is drawn over again in its place, until q or Ctrl-C.
 *
 * 1. However it ends, the cursor is there again, the keys are the shell's, and the last picture stays.
 * 2. Of pictures that come faster than they can be looked at the newest is drawn.
 */
import { createLogUpdate } from 'log-update';
import { Interrupted } from '../failures.js';
import type { Terminal } from '../terminal/terminal.js';

const FRAME_MS = 80;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CTRL_C = '\u0003';

export interface LiveView {
  /** Aborted when the view is to end: by q, with `QUIT`; by Ctrl-C. */
  readonly signal: AbortSignal;
  draw(picture: () => string): void;
}

/** The reason of a view's signal after q: an end like any other. */
const QUIT = Symbol('quit');

/**
 * Shows a view for as long as the work goes on; q ends it in peace.
 * @throws {Interrupted} after Ctrl-C
 */
export async function withLiveView(
  terminal: Terminal,
  interrupted: AbortSignal,
  work: (view: LiveView) => Promise<void>,
): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([interrupted, ending.signal]);
  const keys = listenToKeys(terminal, ending);
  const screen = openScreen(terminal);
  try {
    await work({ signal, draw: screen.draw });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    screen.close();
    keys.close();
  }
  if (signal.aborted && signal.reason !== QUIT) throw signal.reason;
}

/** Keys are read one by one, unseen; Ctrl-C is one of them then. */
function listenToKeys({ stdin }: Terminal, ending: AbortController) {
  const keyboard = stdin as NodeJS.ReadStream;
  if (keyboard.isTTY !== true) return { close: () => undefined };
  const onKeys = (typed: Buffer | string) => {
    const text = String(typed);
    if (text.includes(CTRL_C)) ending.abort(new Interrupted());
    else if (/q/i.test(text)) ending.abort(QUIT);
  };
  keyboard.setRawMode(true);
  keyboard.on('data', onKeys).resume();
  return {
    close() {
      keyboard.off('data', onKeys).pause();
      keyboard.setRawMode(false);
    },
  };
}

function openScreen({ stdout }: Terminal) {
  const update = createLogUpdate(stdout as NodeJS.WriteStream, { showCursor: true });
  const show = () => void stdout.write(SHOW_CURSOR);
  // A process that ends by force still leaves the cursor.
  process.once('exit', show);
  stdout.write(HIDE_CURSOR);
  let next: (() => string) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const drawNext = () => {
    timer = undefined;
    if (next === undefined) return;
    update(next());
    next = undefined;
    timer = setTimeout(drawNext, FRAME_MS);
  };
  return {
    draw(picture: () => string) {
      next = picture;
      if (timer === undefined) drawNext();
    },
    close() {
      clearTimeout(timer);
      if (next !== undefined) update(next());
      update.done();
      process.off('exit', show);
      show();
    },
  };
}
