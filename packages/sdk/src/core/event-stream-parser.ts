/**
 * Reads server-sent events out of text, however it was cut into pieces. Source of the format: the HTML standard,
 * section 9.2.6.
 */

/** One message, as the standard has it. */
export interface ServerSentEvent {
  /** The last id that was told, to resume after; empty where there was none. */
  readonly id: string;
  /** The kind that the server gave it; `message` where it gave none. */
  readonly type: string;
  readonly data: string;
  /** How long the server wants to be left alone after a cut, in milliseconds. */
  readonly retryMs: number | undefined;
}

export class EventStreamParser {
  #rest = '';
  #endsWithReturn = false;
  #id = '';
  #type = '';
  #data: string[] = [];
  #retryMs: number | undefined;

  /** The messages that are whole now. One without data tells an id or a time to wait alone. */
  *push(piece: string): Generator<ServerSentEvent, void, undefined> {
    if (piece === '') return;
    // A line end of two characters, cut between them, is still one.
    const text = this.#rest + (this.#endsWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece);
    this.#endsWithReturn = piece.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    this.#rest = lines.pop()!;
    for (const line of lines) {
      if (line === '') yield this.#message();
      else this.#take(line);
    }
  }

  #take(line: string): void {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#type = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value);
  }

  #message(): ServerSentEvent {
    const message = {
      id: this.#id,
      type: this.#type || 'message',
      data: this.#data.join('\n'),
      retryMs: this.#retryMs,
    };
    this.#type = '';
    this.#data = [];
    return message;
  }
}
