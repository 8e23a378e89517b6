import fc from 'fast-check';
import { EventStreamParser, type ServerSentEvent } from './event-stream-parser.js';

const read = (...pieces: string[]): ServerSentEvent[] => {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => [...parser.push(piece)]);
};
/** What a reader of the standard is handed: messages without data are not. */
const dispatched = (...pieces: string[]) =>
  read(...pieces)
    .filter(({ data }) => data !== '')
    .map(({ id, type, data }) => ({ id, type, data }));
const message = (data: string, id = '', type = 'message') => ({ id, type, data });

describe('the format of the standard', () => {
  it.each<[string, string, object[]]>([
    ['lines of data are one text', 'data: YHOO\ndata: +2\ndata: 10\n\n', [message('YHOO\n+2\n10')]],
    ['a comment is passed over', ': a comment\n\ndata: one\nid: 1\n\n', [message('one', '1')]],
    [
      'an id stays until another comes',
      'id: 1\ndata: a\n\ndata: b\n\n',
      [message('a', '1'), message('b', '1')],
    ],
    [
      'an id alone, empty, takes it back',
      'id: 1\ndata: a\n\nid\ndata: b\n\n',
      [message('a', '1'), message('b')],
    ],
    [
      'one space behind the colon is no part',
      'data:a\n\ndata: a\n\ndata:  a\n\n',
      [message('a'), message('a'), message(' a')],
    ],
    ['a name without a colon has an empty value', 'data\ndata\n\n', [message('\n')]],
    ['no data is no message', 'event: x\nid: 4\n\n', []],
    ['a kind is of one message', 'event: x\ndata: a\n\ndata: b\n\n', [message('a', '', 'x'), message('b')]],
    ['a kind without data is forgotten', 'event: x\n\ndata: b\n\n', [message('b')]],
    ['what is not ended is no message', 'data: a\n\ndata: b\n', [message('a')]],
    ['names are matched whole and by case', 'Data: a\ndatas: b\n data: c\ndata: d\n\n', [message('d')]],
    ['an unknown name is passed over', 'foo: bar\ndata: a\n\n', [message('a')]],
    [
      'an id with NUL is no id',
      'id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n',
      [message('a', '1'), message('b', '1')],
    ],
    ['a colon in the value is of the value', 'data: a: b\n\n', [message('a: b')]],
    [
      'ends of lines may be mixed',
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
  ])('%j asks for %p', (text, retryMs) => {
    expect(read(text)).toEqual([{ ...message(''), retryMs }]);
  });

  it('the time to wait stays until another comes', () => {
    expect(read('retry: 5\ndata: a\n\ndata: b\n\n').map(({ retryMs }) => retryMs)).toEqual([5, 5]);
  });

  it('is read the same, however the text was cut into pieces', () => {
    const line = fc.oneof(
      fc.constantFrom('', 'data', 'id', 'retry: 12', ': comment', 'event: x', 'id: 7'),
      fc.string({ unit: fc.constantFrom('a', ':', ' ', 'é', '\0') }).map((value) => `data:${value}`),
    );
    const stream = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 30 })
      .map((lines) => lines.map((each) => each.join('')).join(''));
    const lengths = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 });
    fc.assert(
      fc.property(stream, lengths, (text, pieceLengths) => {
        const pieces: string[] = [];
        for (let at = 0; at < text.length; at += pieces.at(-1)!.length)
          pieces.push(text.slice(at, at + pieceLengths[pieces.length % pieceLengths.length]!));
        expect(read(...pieces)).toEqual(read(text));
      }),
      { numRuns: 300 },
    );
  });

  it('is read the same with every end of line', () => {
    const text = 'id: 1\nevent: x\ndata: a\ndata: b\n\n: c\n\ndata: d\n\n';
    for (const end of ['\r', '\r\n']) expect(read(text.replaceAll('\n', end))).toEqual(read(text));
  });
});
