/** An answer with what came along with it. */
export interface WithResponse<T> {
  readonly data: T;
  /** The answer as it came; its body can be read once more. */
  readonly response: Response;
  /** The request as the server knows it. */
  readonly requestId: string | undefined;
}

/** What the transport hands on: the whole answer. */
export interface ApiResponse {
  readonly response: Response;
  readonly text: string;
  /** What the text says; undefined where it is no JSON. */
  readonly json: unknown;
}

/** Statuses whose answers have no body. */
const BODILESS: readonly number[] = [204, 205, 304];

/**
 * A promise of an answer's data, which also gives the answer itself. The request is on its way as soon as it is made,
 * whether or not anybody waits for it; a failure that nobody looks at is an unhandled rejection, as of any promise.
 *
 * @example
 * const { data, response, requestId } = await client.me.get().withResponse();
 */
export class ApiPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'ApiPromise';
  private data: Promise<T> | undefined;

  constructor(
    protected readonly answer: Promise<ApiResponse>,
    private readonly read: (answer: ApiResponse) => T,
  ) {}

  /**
   * The data beside the answer that it came in.
   *
   * @example
   * const { data, requestId } = await client.me.get().withResponse();
   */
  async withResponse(): Promise<WithResponse<T>> {
    const [data, answer] = await Promise.all([this.parsed(), this.answer]);
    return {
      data,
      response: responseOf(answer),
      requestId: answer.response.headers.get('x-request-id') ?? undefined,
    };
  }

  /**
   * The answer alone, as it came, whatever its body is. Refusals are thrown here, too.
   *
   * @example
   * const response = await client.get('/openapi.json').asResponse();
   * console.log(response.headers.get('content-type'), await response.text());
   */
  async asResponse(): Promise<Response> {
    return responseOf(await this.answer);
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<A = T, B = never>(
    onData?: ((data: T) => A | PromiseLike<A>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: as of every promise
    onError?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.parsed().then(onData, onError);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as of every promise
  catch<B = never>(onError?: ((reason: any) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.parsed().catch(onError);
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.parsed().finally(onEnd);
  }

  private parsed(): Promise<T> {
    this.data ??= this.answer.then(this.read);
    return this.data;
  }
}

/** A body is read once: this one is whole again. */
function responseOf({ response, text }: ApiResponse): Response {
  const { status, statusText, headers } = response;
  return new Response(BODILESS.includes(status) ? null : text, { status, statusText, headers });
}
