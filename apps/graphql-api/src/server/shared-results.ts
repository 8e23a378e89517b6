/**
 * Shares results among subscribers with equal requests. For each event, a request is executed and its result serialized
 * only once.
 *
 * The protocol library serializes messages itself. A result therefore serializes to a placeholder, which the socket
 * replaces with the serialized result when it sends the message.
 */
const PLACEHOLDER = '\u0000shared\u0000';
/**
 * The end of a message whose payload is the placeholder. No other message ends like this, because client input is
 * never at the end.
 */
const PLACEHOLDER_END = `${JSON.stringify(PLACEHOLDER)}}`;

let lastSerialized: SharedResult | undefined;

export class SharedResult {
  constructor(private readonly text: string) {}

  /** Called when the library serializes a message, immediately before it sends the message in the same tick. */
  toJSON(): string {
    lastSerialized = this;
    return PLACEHOLDER;
  }

  /** Returns the message with its placeholder replaced by the result; other messages are unchanged. */
  static replacePlaceholder(message: string): string {
    if (!message.endsWith(PLACEHOLDER_END) || lastSerialized === undefined) return message;
    return `${message.slice(0, -PLACEHOLDER_END.length)}${lastSerialized.text}}`;
  }
}

/** Results by event and request. The results of an event are garbage-collected with it. */
export class SharedResults {
  private readonly results = new WeakMap<object, Map<string, Promise<SharedResult>>>();

  /**
   * Returns the result of a request for an event; executes the request only if no result exists.
   *
   * @param request identifies the document, the operation and the variables
   */
  getOrExecute(event: object, request: string, execute: () => Promise<SharedResult>): Promise<SharedResult> {
    let eventResults = this.results.get(event);
    if (eventResults === undefined) {
      eventResults = new Map();
      this.results.set(event, eventResults);
    }
    let result = eventResults.get(request);
    if (result === undefined) {
      result = execute();
      eventResults.set(request, result);
    }
    return result;
  }
}
