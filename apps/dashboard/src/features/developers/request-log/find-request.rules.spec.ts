import type { LoggedRequest } from '@trading-automation/sdk';
import { findRequest } from './find-request.rules';

async function* requests(count: number) {
  for (let i = 1; i <= count; i += 1) yield { id: `rqt_${i}`, request_id: `r${i}` } as LoggedRequest;
}

describe('the search for a request', () => {
  it('finds it by the id of its response and by the id of its record', async () => {
    expect(await findRequest(requests(5), 'r3', 10)).toMatchObject({ record: { id: 'rqt_3' }, searched: 3 });
    expect((await findRequest(requests(5), 'rqt_5', 5)).record?.request_id).toBe('r5');
  });

  it('says whether the log has requests that it did not compare', async () => {
    expect(await findRequest(requests(5), 'r9', 5)).toEqual({ record: null, searched: 5, hasMore: false });
    expect(await findRequest(requests(6), 'r6', 5)).toEqual({ record: null, searched: 5, hasMore: true });
  });
});
