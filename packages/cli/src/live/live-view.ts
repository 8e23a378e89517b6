/**
 * A view that is redrawn in place until q or Ctrl-C.
 *
 * 1. When the view ends for any reason, the cursor and the keyboard are restored, and the last frame stays visible.
 * 2. At most one frame is drawn in 80 ms: the latest one.
 */
import { createLogUpdate } from 'log-update';
import { Interrupted } from '../failures.js';
import type { Terminal } from '../terminal/terminal.js';

const FRAME_MS = 80;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CTRL_C = '\u0003';

export interface LiveView {
  /** Aborted when the user ends the view: with the reason `QUIT` after q, with `Interrupted` after Ctrl-C. */
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
  const showCursor = () => void stdout.write(SHOW_CURSOR);
  // Restores the cursor even if the process exits abruptly.
  process.once('exit', showCursor);
  stdout.write(HIDE_CURSOR);
  let pendingFrame: (() => string) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const drawPending = () => {
    timer = undefined;
    if (pendingFrame === undefined) return;
    update(pendingFrame());
    pendingFrame = undefined;
    timer = setTimeout(drawPending, FRAME_MS);
  };
  return {
    draw(frame: () => string) {
      pendingFrame = frame;
      if (timer === undefined) drawPending();
    },
    close() {
      clearTimeout(timer);
      if (pendingFrame !== undefined) update(pendingFrame());
      update.done();
      process.off('exit', showCursor);
      showCursor();
    },
  };
}
