export type { BookLevel, OrderBook } from './book-source.js';
export {
  type OrderbookOptions,
  Realtime,
  type RealtimeOptions,
  type TradeSignalsOptions,
} from './realtime.js';
export type { RealtimeStream, StreamOptions } from './realtime-stream.js';
export type { WebSocketClass } from './web-socket.js';
