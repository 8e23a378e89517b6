/**
 * A connection with the streams of one account at the exchange. It carries one stream or, where the exchange has one
 * address for all trading types, those of several trading types with the same key.
 */
import type { ExchangeError } from '../../port.js';
import type { StepResponse, StreamPlan, StreamStep } from '../declaration.js';
import type { StreamSocket } from './sockets.js';
import type { StreamMember } from './stream-member.js';

/** A message to send, or the end of the messages of one member. */
interface Task {
  /** Undefined: the messages of the member are all accepted. */
  readonly step?: StreamStep | undefined;
  /** Undefined: the step authenticates the connection. */
  readonly member?: StreamMember | undefined;
}

export class OwnConnection {
  readonly #members = new Map<StreamMember, StreamPlan>();
  /** Messages are sent one at a time, each when the exchange has accepted the one before it. */
  readonly #tasks: Task[] = [];
  /** The messages that were sent, by their content. A second member does not repeat them. */
  readonly #sent = new Set<string>();
  #current: Task | undefined;
  #isOpen = false;
  #hasEnded = false;
  #socket: StreamSocket | undefined;

  /** @param onEnded called once, when no stream can join any more */
  constructor(private readonly onEnded: () => void) {}

  /** Opens the connection for its first member. */
  open(first: StreamMember, plan: StreamPlan): void {
    const { stream, segment, opened } = first;
    const { protocol } = opened;
    for (const step of plan.login ?? []) this.#tasks.push({ step });
    this.join(first, plan);
    const handler = {
      onOpen: () => {
        this.#isOpen = true;
        this.#next(undefined);
      },
      onMessage: (message: unknown) => {
        const response = protocol.responseOf(message);
        const isRead = response === undefined || (response.isAccepted && protocol.numbersAcknowledgements);
        if (isRead) for (const member of this.#members.keys()) member.receive(message);
        if (response !== undefined) this.#settle(response, message);
      },
      onClosed: (error: ExchangeError) => {
        this.#end();
        for (const member of this.#members.keys()) member.lose(error);
      },
    };
    this.#socket = segment.sockets.connect(plan.url, handler, {
      egress: stream.account.egress,
      heartbeat: plan.heartbeat ?? protocol.heartbeat,
      isGreeted: protocol.isGreeted,
      answerPing: protocol.answerPing,
      headers: protocol.connectHeaders,
    });
  }

  join(member: StreamMember, plan: StreamPlan): void {
    this.#members.set(member, plan);
    member.attach(() => this.#leave(member));
    for (const step of plan.steps) this.#tasks.push({ step, member });
    this.#tasks.push({ member });
    if (this.#isOpen && this.#current === undefined) this.#next(undefined);
  }

  /** Removes a member. Without members, the connection is closed. */
  async #leave(member: StreamMember): Promise<void> {
    member.stop();
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    this.#end();
    await this.#socket?.close();
  }

  #settle(response: StepResponse, message: unknown): void {
    const task = this.#current;
    this.#current = undefined;
    if (response.isAccepted) this.#next(message);
    else this.#reject(task, response);
  }

  /** Ends the members that need the rejected message; without authentication, that is all of them. */
  #reject(task: Task | undefined, { status, rejection }: Extract<StepResponse, { isAccepted: false }>): void {
    const { step, member: sender } = task ?? {};
    const key = keyOf(step);
    if (key !== undefined) this.#sent.delete(key);
    const needs = ([member, { steps }]: readonly [StreamMember, StreamPlan]) =>
      sender === undefined ||
      member === sender ||
      (key !== undefined && steps.some((other) => keyOf(other) === key));
    for (const [member] of [...this.#members].filter(needs))
      member.end(member.segment.classifyRejection(member.opened.session.ccxt, status, rejection));
    if (!this.#hasEnded) this.#next(undefined);
  }

  #next(accepted: unknown): void {
    for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) {
      const { step, member } = task;
      if (member !== undefined && !this.#members.has(member)) continue;
      if (step === undefined) {
        member?.onSubscribed();
        continue;
      }
      const key = keyOf(step);
      if (key !== undefined && this.#sent.has(key)) continue;
      if (key !== undefined) this.#sent.add(key);
      this.#current = task;
      this.#socket?.send(typeof step === 'function' ? step(accepted) : step);
      return;
    }
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.onEnded();
  }
}

/** Identifies a message by its content; undefined for a message that depends on a response. */
const keyOf = (step: StreamStep | undefined): string | undefined =>
  typeof step === 'object' ? JSON.stringify(step) : undefined;
