import type { Peer } from './peer.js';
import { runStreamRequest } from './stream-requests.js';
import type { Envelope, UserSubscription } from './user-subscription.js';

/** The streams of user events that a connection subscribes to by a listen key. */
export interface KeyedStreams {
  has(key: string): boolean;
  /** Subscribes a connection. Returns undefined for an unknown or expired key. */
  subscribe(key: string, peer: Peer, envelope: Envelope): UserSubscription | undefined;
  drop(subscription: UserSubscription): void;
}

/** A connection and its subscriptions. A combined connection gets the name of the stream with each event. */
interface Subscriber {
  readonly peer: Peer;
  readonly isCombined: boolean;
  readonly names: Set<string>;
  /** The names of the user events that the connection wants. Undefined: all. */
  readonly events: ReadonlySet<string> | undefined;
  /** The subscriptions to user events, by listen key. */
  readonly users: Map<string, UserSubscription>;
}

/** A stream with at least one subscriber, and what its publisher remembers about it. */
export interface HubStream<Name, Memory> {
  readonly name: Name;
  readonly memory: Memory;
  readonly subscribers: ReadonlySet<Subscriber>;
}

interface StreamHubOptions<Name, Memory> {
  /** Parses the name of a stream. Returns undefined if the stream is not supported. */
  readonly readName: (text: string) => Name | undefined;
  /** Creates what the publisher remembers about a stream, when it gets its first subscriber. */
  readonly remember: (name: Name) => Memory;
  readonly keyedStreams: KeyedStreams;
}

/** Holds the connections to streams and their subscriptions. A stream without subscribers has no events. */
export class StreamHub<Name extends { readonly text: string }, Memory> {
  private readonly streams = new Map<
    string,
    HubStream<Name, Memory> & { readonly subscribers: Set<Subscriber> }
  >();

  constructor(private readonly options: StreamHubOptions<Name, Memory>) {}

  isKnown(text: string): boolean {
    return this.options.readName(text) !== undefined || this.options.keyedStreams.has(text);
  }

  get(text: string): HubStream<Name, Memory> | undefined {
    return this.streams.get(text);
  }

  all(): Iterable<HubStream<Name, Memory>> {
    return this.streams.values();
  }

  /**
   * Subscribes a new connection to streams, which must be known, and serves its SUBSCRIBE requests. It gets all user events,
   * or those whose names are `events`.
   */
  attach(peer: Peer, isCombined: boolean, names: readonly string[], events?: ReadonlySet<string>): void {
    const subscriber: Subscriber = { peer, isCombined, names: new Set(), events, users: new Map() };
    const subscriptions = {
      names: subscriber.names,
      isKnown: (name: string) => this.isKnown(name),
      subscribe: (name: string) => this.subscribe(subscriber, name),
      unsubscribe: (name: string) => this.unsubscribe(subscriber, name),
    };
    for (const name of names) this.subscribe(subscriber, name);
    peer.onMessage((message) => peer.send(runStreamRequest(subscriptions, message)));
    peer.onClose(() => {
      for (const name of subscriber.names) this.unsubscribe(subscriber, name);
    });
  }

  /** Sends an event to the subscribers of a stream, if there are any. */
  publish(text: string, event: () => object): void {
    const stream = this.streams.get(text);
    if (stream !== undefined) this.send(stream, event());
  }

  send({ name, subscribers }: HubStream<Name, Memory>, event: object): void {
    const raw = JSON.stringify(event);
    for (const { peer, isCombined } of subscribers) {
      peer.send(isCombined ? `{"stream":${JSON.stringify(name.text)},"data":${raw}}` : raw);
    }
  }

  private subscribe(subscriber: Subscriber, text: string): void {
    if (subscriber.names.has(text)) return;
    subscriber.names.add(text);
    const name = this.options.readName(text);
    if (name !== undefined) this.streamOf(name).subscribers.add(subscriber);
    else this.subscribeUser(subscriber, text);
  }

  private subscribeUser(subscriber: Subscriber, listenKey: string): void {
    const { peer, isCombined, events, users } = subscriber;
    const envelope: Envelope = (event) => {
      if (events !== undefined && !('e' in event && events.has(String(event.e)))) return undefined;
      return isCombined ? { stream: listenKey, data: event } : event;
    };
    const user = this.options.keyedStreams.subscribe(listenKey, peer, envelope);
    if (user !== undefined) users.set(listenKey, user);
  }

  private unsubscribe(subscriber: Subscriber, text: string): void {
    subscriber.names.delete(text);
    const user = subscriber.users.get(text);
    if (user !== undefined) this.options.keyedStreams.drop(user);
    subscriber.users.delete(text);
    const stream = this.streams.get(text);
    stream?.subscribers.delete(subscriber);
    if (stream?.subscribers.size === 0) this.streams.delete(text);
  }

  private streamOf(name: Name) {
    const existing = this.streams.get(name.text);
    if (existing !== undefined) return existing;
    const stream = { name, memory: this.options.remember(name), subscribers: new Set<Subscriber>() };
    this.streams.set(name.text, stream);
    return stream;
  }
}
