/** The baseline of the order book: a `ws` server that sends every message of a Redis channel to all its clients. */
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { WebSocketServer } from 'ws';

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
const redis = new Redis(process.env.REDIS_URL);
redis.on('message', (_channel, text) => {
  for (const client of sockets.clients) client.send(text);
});
await redis.subscribe('broadcast');
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${server.address().port}` }));
});

// Ends with the parent process, even if that is killed.
process.once('disconnect', () => process.exit());
