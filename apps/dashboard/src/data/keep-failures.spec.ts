import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { keepFailures } from './keep-failures';

const clients: QueryClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.clear();
});

/** A view of one query, whose loads the test answers, and the states that it has shown. */
function openView() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  clients.push(client);
  keepFailures(client);
  let answer = { resolve: (_: string) => {}, reject: (_: Error) => {} };
  const observer = new QueryObserver<string>(client, {
    queryKey: ['trades'],
    queryFn: () =>
      new Promise<string>((resolve, reject) => {
        answer = { resolve, reject };
      }),
  });
  observer.subscribe(() => {});
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const state = () => {
    const { status, error, data, fetchStatus } = observer.getCurrentResult();
    return { status, error: error?.message, data, fetchStatus };
  };
  return {
    state,
    load: () => void observer.refetch(),
    async succeed(data: string) {
      answer.resolve(data);
      await settle();
    },
    async fail(message: string) {
      answer.reject(new Error(message));
      await settle();
    },
  };
}

it('a view without data shows its failure until it is loaded', async () => {
  const view = openView();
  expect(view.state()).toMatchObject({ status: 'pending' });
  await view.fail('first');
  expect(view.state()).toMatchObject({ status: 'error', error: 'first', fetchStatus: 'idle' });
  view.load();
  expect(view.state()).toMatchObject({ status: 'error', error: 'first', fetchStatus: 'fetching' });
  await view.fail('second');
  view.load();
  expect(view.state()).toMatchObject({ status: 'error', error: 'second', fetchStatus: 'fetching' });
  await view.succeed('loaded');
  expect(view.state()).toEqual({ status: 'success', data: 'loaded', fetchStatus: 'idle' });
});

it('a view with data keeps it after a failure', async () => {
  const view = openView();
  await view.succeed('old');
  view.load();
  await view.fail('later');
  expect(view.state()).toMatchObject({ status: 'error', data: 'old', error: 'later' });
  view.load();
  expect(view.state()).toMatchObject({ data: 'old', fetchStatus: 'fetching' });
});
