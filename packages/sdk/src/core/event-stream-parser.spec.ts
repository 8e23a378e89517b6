import fc from 'fast-check';
import { EventStreamParser, type ServerSentEvent } from './event-stream-parser.js';

const parse = (...chunks: string[]): ServerSentEvent[] => {
  const parser = new EventStreamParser();
  return chunks.flatMap((chunk) => [...parser.push(chunk)]);
};
/** Returns the messages that have data: the standard dispatches only these. */
const dispatched = (...chunks: string[]) =>
  parse(...chunks)
    .filter(({ data }) => data !== '')
    .map(({ id, type, data }) => ({ id, type, data }));
const message = (data: string, id = '', type = 'message') => ({ id, type, data });

describe('the event stream parser', () => {
  it.each<[string, string, object[]]>([
    ['joins several data lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', [message('YHOO\n+2\n10')]],
    ['ignores a comment', ': a comment\n\ndata: one\nid: 1\n\n', [message('one', '1')]],
    [
      'keeps an id until the next one',
      'id: 1\ndata: a\n\ndata: b\n\n',
      [message('a', '1'), message('b', '1')],
    ],
    [
      'clears the id when it reads an empty id',
      'id: 1\ndata: a\n\nid\ndata: b\n\n',
      [message('a', '1'), message('b')],
    ],
    [
      'removes one space after the colon',
      'data:a\n\ndata: a\n\ndata:  a\n\n',
      [message('a'), message('a'), message(' a')],
    ],
    ['reads a field name without a colon as a field with an empty value', 'data\ndata\n\n', [message('\n')]],
    ['dispatches no message without data', 'event: x\nid: 4\n\n', []],
    [
      'applies an event type to one message',
      'event: x\ndata: a\n\ndata: b\n\n',
      [message('a', '', 'x'), message('b')],
    ],
    ['drops the event type of a message without data', 'event: x\n\ndata: b\n\n', [message('b')]],
    ['dispatches no unfinished message', 'data: a\n\ndata: b\n', [message('a')]],
    ['matches field names exactly', 'Data: a\ndatas: b\n data: c\ndata: d\n\n', [message('d')]],
    ['ignores an unknown field', 'foo: bar\ndata: a\n\n', [message('a')]],
    [
      'ignores an id with NUL',
      'id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n',
      [message('a', '1'), message('b', '1')],
    ],
    ['accepts a colon in a value', 'data: a: b\n\n', [message('a: b')]],
    [
      'accepts mixed line ends',
      'data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r',
      [message('a\nb\nc'), message('d')],
    ],
  ])('%s', (_, text, expected) => {
    expect(dispatched(text)).toEqual(expected);
  });

  it.each([
    ['retry: 3000\n\n', 3_000],
    ['retry: 30x\n\n', undefined],
    ['retry: -3\n\n', undefined],
    ['retry: \n\n', undefined],
  ])('parses the retry delay of %j as %p', (text, retryMs) => {
    expect(parse(text)).toEqual([{ ...message(''), retryMs }]);
  });

  it('keeps a retry delay until the next one', () => {
    expect(parse('retry: 5\ndata: a\n\ndata: b\n\n').map(({ retryMs }) => retryMs)).toEqual([5, 5]);
  });

  it('returns the same messages, however the text is split into chunks', () => {
    const line = fc.oneof(
      fc.constantFrom('', 'data', 'id', 'retry: 12', ': comment', 'event: x', 'id: 7'),
      fc.string({ unit: fc.constantFrom('a', ':', ' ', 'é', '\0') }).map((value) => `data:${value}`),
    );
    const stream = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 30 })
      .map((lines) => lines.map((each) => each.join('')).join(''));
    const lengths = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 });
    fc.assert(
      fc.property(stream, lengths, (text, chunkLengths) => {
        const chunks: string[] = [];
        for (let start = 0; start < text.length; start += chunks.at(-1)!.length)
          chunks.push(text.slice(start, start + chunkLengths[chunks.length % chunkLengths.length]!));
        expect(parse(...chunks)).toEqual(parse(text));
      }),
      { numRuns: 300 },
    );
  });

  it('returns the same messages with every line end', () => {
    const text = 'id: 1\nevent: x\ndata: a\ndata: b\n\n: c\n\ndata: d\n\n';
    for (const end of ['\r', '\r\n']) expect(parse(text.replaceAll('\n', end))).toEqual(parse(text));
  });
});
