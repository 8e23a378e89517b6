/**
 * What one event makes of one document is the same for everybody who asks the same of it: it is executed and written once.
 *
 * A result is a promise of text. On its way through the protocol library, which writes JSON of its own, it stands as a
 * mark that the socket replaces by the text at the moment of sending.
 */
const PLACEHOLDER = '\u0000shared\u0000';
/** The end of a message whose payload is the mark. No other message ends so: a client's text is never at the end. */
const MARKED_END = `${JSON.stringify(PLACEHOLDER)}}`;

let lastSerialized: SharedResult | undefined;

export class SharedResult {
  constructor(private readonly text: string) {}

  /** Called by the library right before it sends, in the same turn. */
  toJSON(): string {
    lastSerialized = this;
    return PLACEHOLDER;
  }

  /** The message with the text in the place of the mark; any other message as it is. */
  static replacePlaceholder(message: string): string {
    if (!message.endsWith(MARKED_END) || lastSerialized === undefined) return message;
    return `${message.slice(0, -MARKED_END.length)}${lastSerialized.text}}`;
  }
}

/** Results by event and by what is asked of it; an event that nobody holds any more takes its results with it. */
export class SharedResults {
  private readonly results = new WeakMap<object, Map<string, Promise<SharedResult>>>();

  /** @param asked the document, the operation and the variables */
  getOrExecute(event: object, asked: string, execute: () => Promise<SharedResult>): Promise<SharedResult> {
    let ofEvent = this.results.get(event);
    if (ofEvent === undefined) {
      ofEvent = new Map();
      this.results.set(event, ofEvent);
    }
    let result = ofEvent.get(asked);
    if (result === undefined) {
      result = execute();
      ofEvent.set(asked, result);
    }
    return result;
  }
}
