/**
 * Delivers messages to one consumer, one at a time. Messages that arrive while the consumer processes another one (its
 * promise is pending) are dropped: the consumer is then behind and gets the current state next. If the consumer throws,
 * `onFailure` is called and the consumer gets no further message.
 */
export class ConflatingConsumer<Message> {
  private isBusy = false;
  private isBehind = true;
  private isClosed = false;

  constructor(
    private readonly take: (message: Message) => void | Promise<void>,
    /** Returns the current state as one message; undefined if unknown. */
    private readonly currentSnapshot: () => Message | undefined,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Offers the message that follows the previous one. A consumer that is behind gets the current state instead. */
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
      const working = this.take(message);
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
