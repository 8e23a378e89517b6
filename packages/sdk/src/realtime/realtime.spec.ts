import { jsonSchemaOf, orderBookUpdate, tradeSignal } from '@trading-automation/contracts';
import { type FieldNode, parse, type SelectionSetNode } from 'graphql';
import { WebSocket as PackageWebSocket } from 'ws';
import { BOOK_DOCUMENT } from './book-source.js';
import { NULLABLE, SIGNAL_DECIMALS, SIGNAL_DOCUMENT } from './signal-source.js';
import { findWebSocket } from './web-socket.js';

/** Returns the fields that a subscription requests. */
function fieldsOf(document: string): FieldNode[] {
  const [operation] = parse(document).definitions as unknown as { selectionSet: SelectionSetNode }[];
  const [root] = operation!.selectionSet.selections as FieldNode[];
  return root!.selectionSet!.selections as FieldNode[];
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

it.each([
  ['signals', SIGNAL_DOCUMENT, tradeSignal],
  ['books', BOOK_DOCUMENT, orderBookUpdate],
])('%s are requested with every field of the contract, under its REST name', (_what, document, record) => {
  const requested = fieldsOf(document).map(({ alias, name }) => [alias?.value ?? name.value, name.value]);
  const members = Object.keys(record.shape).map((member) => [member, camelCase(member)]);
  expect(requested.sort()).toEqual(members.sort());
});

interface Definition {
  readonly properties: Readonly<
    Record<
      string,
      {
        readonly $ref?: string;
        readonly anyOf?: readonly { readonly $ref?: string; readonly type?: string }[];
      }
    >
  >;
}
const { TradeSignal } = jsonSchemaOf(tradeSignal, 'output').definitions as unknown as Record<
  string,
  Definition
>;

it('SIGNAL_DECIMALS lists the decimals of a signal in the contract', () => {
  const decimals = Object.entries(TradeSignal!.properties).filter(([, { $ref, anyOf = [] }]) =>
    [$ref, ...anyOf.map((member) => member.$ref)].some((each) => each?.endsWith('/Decimal')),
  );
  expect(decimals.map(([name]) => name).sort()).toEqual([...SIGNAL_DECIMALS].sort());
});

it('NULLABLE lists the fields of a signal that can be null in REST; the SDK omits the other null fields of GraphQL', () => {
  const nullable = Object.entries(TradeSignal!.properties).filter(([, { anyOf = [] }]) =>
    anyOf.some(({ type }) => type === 'null'),
  );
  expect(nullable.map(([name]) => name)).toEqual(NULLABLE);
});

describe('findWebSocket', () => {
  const runtime = globalThis as { WebSocket?: unknown };
  const runtimeWebSocket = runtime.WebSocket;
  afterEach(() => {
    if (runtimeWebSocket === undefined) delete runtime.WebSocket;
    else runtime.WebSocket = runtimeWebSocket;
  });

  class ConfiguredWebSocket {}

  it('returns the configured class, or else that of the runtime, or else that of the package ws', async () => {
    runtime.WebSocket = class {};
    expect(await findWebSocket(ConfiguredWebSocket)).toBe(ConfiguredWebSocket);
    expect(await findWebSocket(undefined)).toBe(runtime.WebSocket);
    delete runtime.WebSocket;
    expect(await findWebSocket(undefined)).toBe(PackageWebSocket);
  });
});
