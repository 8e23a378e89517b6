/**
 * Delivers messages to one consumer, one at a time. While the promise of `onMessage` is pending, new messages are
 * dropped: the consumer is then behind and gets the current state next. If `onMessage` throws or rejects, `onFailure`
 * is called and the consumer gets no further message.
 */
export class ConflatingConsumer<Message> {
  private isBusy = false;
  private isBehind = true;
  private isClosed = false;

  constructor(
    private readonly onMessage: (message: Message) => void | Promise<void>,
    /** Returns the current state as one message; undefined if unknown. */
    private readonly currentSnapshot: () => Message | undefined,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Offers the next message. A consumer that is behind gets the current state instead. */
  offer(message: Message): void {
    if (this.isClosed) return;
    if (this.isBusy) {
      this.isBehind = true;
      return;
    }
    const next = this.isBehind ? this.currentSnapshot() : message;
    if (next !== undefined) this.deliver(next);
  }

  close(): void {
    this.isClosed = true;
  }

  private deliver(message: Message): void {
    this.isBehind = false;
    try {
      const working = this.onMessage(message);
      if (working === undefined) return;
      this.isBusy = true;
      working.then(() => this.resume(), this.fail);
    } catch (error) {
      this.fail(error);
    }
  }

  private resume(): void {
    this.isBusy = false;
    if (this.isClosed || !this.isBehind) return;
    const snapshot = this.currentSnapshot();
    if (snapshot !== undefined) this.deliver(snapshot);
  }

  private readonly fail = (error: unknown): void => {
    this.close();
    this.onFailure(error);
  };
}
