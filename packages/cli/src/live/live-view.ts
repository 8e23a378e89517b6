/**
 * A view that is redrawn in place until q or Ctrl-C.
 *
 * 1. Whatever ends the view, the cursor and the keyboard are restored, and the last frame stays
 * visible.
 * 2. Frames are rate-limited: only the latest one is drawn.
 */
import { createLogUpdate } from 'log-update';
import { Interrupted } from '../failures.js';
import type { Terminal } from '../terminal/terminal.js';

const FRAME_MS = 80;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CTRL_C = '\u0003';

export interface LiveView {
  /** Aborted when the view ends: by q with the reason `QUIT`, or by Ctrl-C. */
  readonly signal: AbortSignal;
  draw(frame: () => string): void;
}

/** The abort reason after q, which ends the view normally. */
const QUIT = Symbol('quit');

/**
 * Shows a view while the work runs. Returns normally after q.
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

/** Reads keys in raw mode, without echo. In raw mode, Ctrl-C is a key and sends no signal. */
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
  // Restores the cursor even if the process exits abruptly.
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
    draw(frame: () => string) {
      next = frame;
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
