import { csvLine, csvOf } from './csv';

describe('a CSV file', () => {
  it('quotes commas, quotes and line ends', () => {
    expect(csvLine(['a', 'b,c', 'd"e', 'f\ng', null, undefined, 1, true])).toBe(
      'a,"b,c","d""e","f\ng",,,1,true\r\n',
    );
  });

  it.each(['=1+1', '=1', '@2', '+cmd', '@sum', '-x', '-1+1', '=HYPERLINK(A1)'])(
    'has no formula: %j',
    (value) => {
      expect(csvLine([value])).toBe(`'${value}\r\n`);
    },
  );

  it.each(['\tx', '\r=1', '\n=1', 'a;=1', 'a\t=1', '=HYPERLINK("a";"b")'])(
    'quotes what a spreadsheet would take for another cell: %j',
    (value) => {
      const cell = csvLine([value]).slice(0, -2);
      expect(cell).toMatch(/^"[\s\S]*"$/);
      expect(cell.slice(1, -1).replaceAll('""', '"')).toBe(/^[=\t\r\n]/.test(value) ? `'${value}` : value);
    },
  );

  it.each(['-1', '+1.5', '-0.25'])('keeps the number %s', (value) => {
    expect(csvLine([value])).toBe(`${value}\r\n`);
  });

  it('has a line of names and one line for each row', async () => {
    async function* rows() {
      yield { id: 'a' };
      yield { id: 'b' };
    }
    const column = { id: 'id', header: 'Id', cell: () => '', csv: (row: { id: string }) => row.id };
    expect(await (await csvOf([column], rows(), () => undefined)).text()).toBe('id\r\na\r\nb\r\n');
  });
});
