/** Parses server-sent events from text that arrives in arbitrary chunks. Format: the HTML standard, section 9.2.6. */

/** One message of a server-sent event stream. */
export interface ServerSentEvent {
  /** The last event id of the stream, to resume after it; empty if the stream has sent no id. */
  readonly id: string;
  /** The event type; `message` by default. */
  readonly type: string;
  /** The unparsed data. */
  readonly data: string;
  /** Reconnection delay that the server requested last, in milliseconds; undefined before the first request. */
  readonly retryMs: number | undefined;
}

export class EventStreamParser {
  #unfinishedLine = '';
  #endsWithReturn = false;
  #id = '';
  #type = '';
  #data: string[] = [];
  #retryMs: number | undefined;

  /** Yields the messages that this chunk completes. A message without data only sets the id or the retry delay. */
  *push(chunk: string): Generator<ServerSentEvent, void, undefined> {
    if (chunk === '') return;
    // A CRLF that is split between two chunks is one line end.
    const text =
      this.#unfinishedLine + (this.#endsWithReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk);
    this.#endsWithReturn = chunk.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    this.#unfinishedLine = lines.pop()!;
    for (const line of lines) {
      if (line === '') yield this.#message();
      else this.#readLine(line);
    }
  }

  #readLine(line: string): void {
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
