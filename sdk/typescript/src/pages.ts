/** The requested number of items per page. If a list allows fewer, the service returns the maximum of that list. */
const PAGE_SIZE = 200

interface PageOptions {
  query?: { page?: number; page_size?: number }
}

/**
 * Yields the items of all pages of a list of version 3 of the API. Requests the next page when the items of the
 * previous page are consumed.
 */
export async function* paginatePages<Options extends PageOptions, Item>(
  read: (options: Options) => Promise<{ results: Item[]; next: string | null }>,
  options: Options,
): AsyncGenerator<Item> {
  let query = { page_size: PAGE_SIZE, ...options.query }
  for (;;) {
    const { results, next } = await read({ ...options, query })
    yield* results
    // Uses only the page number in the URL `next`, so that credentials are never sent to another host.
    const page = next && new URL(next).searchParams.get('page')
    if (!page) return
    query = { ...query, page: Number(page) }
  }
}

interface OffsetOptions {
  query?: { offset?: number; limit?: number }
}

/** Yields the items of all pages of a list of version 2 of the API. */
export async function* paginateOffsets<Options extends OffsetOptions, Item>(
  read: (options: Options) => Promise<{ items: Item[]; total: number }>,
  options: Options,
): AsyncGenerator<Item> {
  let offset = options.query?.offset ?? 0
  for (;;) {
    const { items, total } = await read({ ...options, query: { limit: PAGE_SIZE, ...options.query, offset } })
    yield* items
    offset += items.length
    if (items.length === 0 || offset >= total) return
  }
}

interface FeedOptions {
  query?: { since?: string; page_size?: number }
}

/** An iterator over the changes since a cursor. It also provides the cursor for the next run of the program. */
export class ChangeFeed<Change> implements AsyncIterable<Change> {
  readonly #read: (since: string | undefined) => Promise<{ results: Change[]; next_cursor: string; more: boolean }>
  #cursor: string | undefined

  constructor(
    read: (since: string | undefined) => Promise<{ results: Change[]; next_cursor: string; more: boolean }>,
    cursor: string | undefined,
  ) {
    this.#read = read
    this.#cursor = cursor
  }

  /**
   * The cursor from which the next run of your program continues. Store it, and pass it as `since`. It moves only when
   * all changes of a page have been consumed. If the program stops earlier, the next run therefore gets this page
   * again, and no change is lost.
   */
  get cursor(): string | undefined {
    return this.#cursor
  }

  /** Yields all changes that are available now, and then ends. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Change> {
    for (let more = true; more; ) {
      const page = await this.#read(this.#cursor)
      yield* page.results
      this.#cursor = page.next_cursor
      more = page.more
    }
  }
}

/**
 * Returns the changes of all pages of a change feed. Requests the next page when the changes of the previous page are
 * consumed.
 */
export function paginateChanges<Options extends FeedOptions, Change>(
  read: (options: Options) => Promise<{ results: Change[]; next_cursor: string; more: boolean }>,
  options: Options,
): ChangeFeed<Change> {
  const { since, ...query } = { page_size: PAGE_SIZE, ...options.query }
  return new ChangeFeed((cursor) => read({ ...options, query: { ...query, ...(cursor && { since: cursor }) } }), since)
}
