import { csvLine, csvOf } from './csv';

describe('a CSV file', () => {
  it('quotes commas, quotes and line ends', () => {
    expect(csvLine(['a', 'b,c', 'd"e', 'f\ng', null, undefined, 1, true])).toBe(
      'a,"b,c","d""e","f\ng",,,1,true\r\n',
    );
  });

  it.each(['=1+1', '+cmd', '@sum', '-x', '\tx'])('has no formula: %j', (value) => {
    expect(csvLine([value])).toBe(`'${value}\r\n`);
  });

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
