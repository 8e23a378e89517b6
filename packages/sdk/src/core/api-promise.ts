/** The data of a response, with the response itself. */
export interface WithResponse<T> {
  /** The `data` of the response; for a list, the first page. */
  readonly data: T;
  /** The response, with an unread body. */
  readonly response: Response;
  /** The id of the request (`x-request-id`), for support. */
  readonly requestId: string | undefined;
}

/** A complete response, as the transport returns it. */
export interface ApiResponse {
  readonly response: Response;
  readonly text: string;
  /** The parsed JSON; undefined if the body is not JSON. */
  readonly json: unknown;
}

/** Statuses whose responses have no body. */
const STATUSES_WITHOUT_BODY: readonly number[] = [204, 205, 304];

/**
 * A promise of the response data that also gives access to the response. The request is sent immediately, whether or
 * not the promise is awaited. An unhandled failure is an unhandled rejection, as with any promise.
 *
 * @example
 * const { data, response, requestId } = await client.me.get().withResponse();
 */
export class ApiPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'ApiPromise';
  private data: Promise<T> | undefined;

  constructor(
    protected readonly response: Promise<ApiResponse>,
    private readonly read: (response: ApiResponse) => T,
  ) {}

  /**
   * Returns the data together with the response and the request id.
   *
   * @example
   * const { data, requestId } = await client.me.get().withResponse();
   */
  async withResponse(): Promise<WithResponse<T>> {
    const [data, received] = await Promise.all([this.parsed(), this.response]);
    return {
      data,
      response: responseOf(received),
      requestId: received.response.headers.get('x-request-id') ?? undefined,
    };
  }

  /**
   * Returns the response without parsing its body. An error response throws, just as it does when you await the data.
   *
   * @example
   * const response = await client.get('/openapi.json').asResponse();
   * console.log(response.headers.get('content-type'), await response.text());
   */
  async asResponse(): Promise<Response> {
    return responseOf(await this.response);
  }

  // biome-ignore lint/suspicious/noThenProperty: this class is a promise
  then<A = T, B = never>(
    onData?: ((data: T) => A | PromiseLike<A>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: the signature of Promise
    onError?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.parsed().then(onData, onError);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the signature of Promise
  catch<B = never>(onError?: ((reason: any) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.parsed().catch(onError);
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.parsed().finally(onEnd);
  }

  private parsed(): Promise<T> {
    this.data ??= this.response.then(this.read);
    return this.data;
  }
}

/** Builds a new response with an unread body: the transport has already read the body of the original. */
function responseOf({ response, text }: ApiResponse): Response {
  const { status, statusText, headers } = response;
  return new Response(STATUSES_WITHOUT_BODY.includes(status) ? null : text, { status, statusText, headers });
}
