/** A small API of notes for tests of `src/http`, whose guarantees do not depend on the operations of the product. */
import type { Server } from 'node:http';
import { Controller, type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  DomainError,
  decimal,
  decimalInput,
  defineOperation,
  type Operation as OperationShape,
  type Permission,
  text,
} from '@trading-automation/contracts';
import { type Actor, CommandRunner } from '@trading-automation/core';
import {
  Authentication,
  createRateLimitStore,
  type IncomingRequest,
  LocalBuckets,
  RateLimiter,
  type RateLimits,
  type RequestLimits,
} from '@trading-automation/core/access';
import { createLogger, nestLogger } from '@trading-automation/runtime';
import { createAdapter, headerOf, type ServerLimits } from '@trading-automation/runtime/http';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { HttpModule } from '../src/http/http.module.js';
import { type Call, Operation, respond } from '../src/http/operation.js';
import { AMPLE_RATE_LIMITS } from './rate-limits.js';
import { JSON_TYPE, send } from './send.js';

const note = z.object({ id: z.string(), name: z.string(), price: decimal.optional() });
type Note = z.output<typeof note>;
const noteParams = z.object({ id: z.string().max(200) });
const common = { errors: [], summary: 'A test.' } as const;

export const noteOperations = {
  ping: defineOperation({
    ...common,
    id: 'ping',
    method: 'GET',
    path: '/v1/ping',
    access: 'PUBLIC',
    response: note,
    status: 200,
  }),
  list: defineOperation({
    ...common,
    id: 'notes.list',
    method: 'GET',
    path: '/v1/notes',
    access: 'READ',
    query: z.strictObject({ name: text({ max: 10 }).optional() }),
    list: { sorts: ['created_at'], limitDefault: 50 },
    response: note,
    status: 200,
  }),
  create: defineOperation({
    ...common,
    id: 'notes.create',
    method: 'POST',
    path: '/v1/notes',
    access: 'TRADE',
    query: z.strictObject({ dry_run: z.enum(['true', 'false']).optional() }),
    body: z.strictObject({
      name: text({ max: 100 }),
      price: decimalInput('any').optional(),
      kind: z.enum(['A', 'B']).default('A'),
      more: z.unknown().optional(),
    }),
    response: note,
    status: 201,
  }),
  get: defineOperation({
    ...common,
    id: 'notes.get',
    method: 'GET',
    path: '/v1/notes/:id',
    access: 'READ',
    params: noteParams,
    response: note,
    status: 200,
  }),
  touch: defineOperation({
    ...common,
    id: 'notes.touch',
    method: 'POST',
    path: '/v1/notes/:id/touch',
    access: 'TRADE',
    bucket: 'trade_writes',
    params: noteParams,
    response: note,
    status: 200,
  }),
  claim: defineOperation({
    ...common,
    id: 'notes.claim',
    method: 'POST',
    path: '/v1/auth/claim',
    access: 'CHALLENGE',
    body: z.strictObject({ pubkey: text({ max: 66 }) }),
    response: note,
    status: 201,
  }),
} as const;

/** The results of the controller methods, which a test can replace, and the requests that reached the API. */
class NotesBehaviour {
  /** The requests whose credentials were checked. */
  readonly seen: IncomingRequest[] = [];
  /** The calls of the controller methods. */
  readonly calls: Call<OperationShape>[] = [];
  create: (call: Call<typeof noteOperations.create>) => Promise<Note> | Note = ({ body }) => ({
    id: 'n1',
    name: body.name,
    ...(body.price === undefined ? {} : { price: body.price }),
  });
  claim: (call: Call<typeof noteOperations.claim>) => Promise<{ made: boolean; name: string }> = async ({
    body,
  }) => ({
    made: body.pubkey === 'new',
    name: body.pubkey,
  });
  list: (call: Call<typeof noteOperations.list>) => Note[] = () => [{ id: 'n1', name: 'one', price: '0.1' }];
  get: (call: Call<typeof noteOperations.get>) => Note = () => ({ id: 'n1', name: 'one', price: '1.5' });
}

const KEYS: Readonly<Record<string, readonly Permission[]>> = {
  reader: ['READ'],
  trader: ['TRADE'],
  admin: ['ADMIN'],
};
/** Headers with the key that has the READ permission. */
export const READER = { 'x-api-key': 'reader' };
/** Headers with the key that has the TRADE permission. */
export const TRADER = { 'x-api-key': 'trader' };
/** Headers with the key that has the ADMIN permission. */
export const ADMIN = { 'x-api-key': 'admin' };
const USER_ID = '0190b5c2-0000-7000-8000-000000000001';

/** Accepts the keys in KEYS, and records the requests whose credentials it checks. */
class NotesAuthentication {
  constructor(
    private readonly behaviour: NotesBehaviour,
    private readonly credentialIds: string,
  ) {}

  async authenticate(incoming: IncomingRequest, limits: RequestLimits): Promise<Actor | null> {
    this.behaviour.seen.push(incoming);
    const at = incoming.rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'x-api-key');
    if (at < 0) return null;
    const key = incoming.rawHeaders[at + 1]!;
    const permissions = KEYS[key];
    if (permissions === undefined) throw new DomainError('invalid_api_key');
    const credential = headerOf(incoming, 'x-credential') ?? '';
    await limits.takeTokensByCaller({
      userId: `${this.credentialIds}:user`,
      credential: { kind: 'api_key', id: `${this.credentialIds}:${key}:${credential}` },
    });
    return { userId: USER_ID, credential: { kind: 'api_key', id: USER_ID, permissions } };
  }
}

@Controller()
class NotesController {
  constructor(private readonly behaviour: NotesBehaviour) {}

  @Operation(noteOperations.ping)
  ping(): Note {
    return { id: 'n0', name: 'pong' };
  }

  @Operation(noteOperations.list)
  list(call: Call<typeof noteOperations.list>) {
    this.behaviour.calls.push(call as Call<OperationShape>);
    const { limit } = call.query;
    const pagination = { limit, offset: 0, has_more: false, next_cursor: null };
    return { items: this.behaviour.list(call), pagination };
  }

  @Operation(noteOperations.create)
  create(call: Call<typeof noteOperations.create>) {
    this.behaviour.calls.push(call as Call<OperationShape>);
    return this.behaviour.create(call);
  }

  @Operation(noteOperations.get)
  get(call: Call<typeof noteOperations.get>) {
    this.behaviour.calls.push(call as Call<OperationShape>);
    return this.behaviour.get(call);
  }

  @Operation(noteOperations.touch)
  touch({ params }: Call<typeof noteOperations.touch>): Note {
    return { id: params.id, name: 'touched' };
  }

  @Operation(noteOperations.claim, ({ made, name }: { made: boolean; name: string }) =>
    respond({ id: name, name }, made ? { location: `/v1/claims/${name}` } : { status: 200 }),
  )
  claim(call: Call<typeof noteOperations.claim>) {
    this.behaviour.calls.push(call as Call<OperationShape>);
    return this.behaviour.claim(call);
  }
}

@Module({})
class NotesAccessModule {}

@Module({})
class NotesModule {}

export interface NotesApi {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  readonly behaviour: NotesBehaviour;
  readonly log: string[];
  close(): Promise<void>;
}

export interface NotesOptions {
  readonly operations?: readonly OperationShape[];
  readonly trustedProxies?: readonly string[];
  readonly corsOrigins?: readonly string[];
  readonly serverLimits?: Partial<ServerLimits>;
  /** The rate limits. The setting RATE_LIMITS contains the same object as JSON. */
  readonly rateLimits?: RateLimits;
  /**
   * The Redis in which several of these APIs count requests together, and a prefix of the credentials' ids. By default,
   * each API counts in memory.
   */
  readonly rateLimitsIn?: { readonly redis: Redis; readonly credentialIds: string };
}

/** Starts the API of notes on a free port. */
export async function startNotesApi(options: NotesOptions = {}): Promise<NotesApi> {
  const { operations = Object.values(noteOperations), trustedProxies = [], corsOrigins = [] } = options;
  const behaviour = new NotesBehaviour();
  const log: string[] = [];
  const logger = createLogger('notes', 'debug', { write: (line) => void log.push(line) });
  const access: DynamicModule = {
    module: NotesAccessModule,
    providers: [
      {
        provide: Authentication,
        useValue: new NotesAuthentication(behaviour, options.rateLimitsIn?.credentialIds ?? ''),
      },
      { provide: RateLimiter, useValue: limiterOf(options) },
      // This API stores no response for an Idempotency-Key. idempotency.int.spec.ts tests stored responses with the
      // real API.
      {
        provide: CommandRunner,
        useValue: {
          run: <T>(_once: unknown, effect: () => Promise<T>) => effect(),
          share: async <T>(_userId: string, useCase: () => T | Promise<T>) => useCase(),
        },
      },
    ],
    exports: [Authentication, RateLimiter, CommandRunner],
  };
  const root: DynamicModule = {
    module: NotesModule,
    imports: [HttpModule.with({ operations, logger, access })],
    controllers: [NotesController],
    providers: [{ provide: NotesBehaviour, useValue: behaviour }],
  };
  const app = await NestFactory.create<NestFastifyApplication>(
    root,
    createAdapter({ trustedProxies, corsOrigins, limits: options.serverLimits ?? {} }),
    {
      bodyParser: false,
      logger: nestLogger(logger),
      abortOnError: false,
    },
  );
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    url,
    port: Number(new URL(url).port),
    server: app.getHttpServer(),
    behaviour,
    log,
    close: () => app.close(),
  };
}

function limiterOf({ rateLimits = AMPLE_RATE_LIMITS, rateLimitsIn }: NotesOptions): RateLimiter {
  if (rateLimitsIn !== undefined)
    return new RateLimiter(rateLimits, createRateLimitStore(rateLimitsIn.redis));
  return new RateLimiter(rateLimits, {
    buckets: new LocalBuckets(),
    takeWithNonce: () => Promise.reject(new Error('no test signs requests to this API')),
  });
}

/** Sends a request with the TRADE key and a JSON body. */
export function sendJson(api: { port: number }, method: string, target: string, body: string, headers = {}) {
  return send(api, method, target, {
    body,
    headers: { ...TRADER, ...JSON_TYPE, ...headers },
  });
}
