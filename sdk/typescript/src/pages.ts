/** The service limits larger pages to the maximum of each list. */
const PAGE_SIZE = 200

interface PageOptions {
  query?: { page?: number; page_size?: number }
}

/** Yields the items of all pages of a list of version 3; requests a page when the previous one is consumed. */
export async function* paginatePages<Options extends PageOptions, Item>(
  read: (options: Options) => Promise<{ results: Item[]; next: string | null }>,
  options: Options,
): AsyncGenerator<Item> {
  let query = { page_size: PAGE_SIZE, ...options.query }
  for (;;) {
    const { results, next } = await read({ ...options, query })
    yield* results
    // Uses only the page number of `next`, so that credentials are never sent to another host.
    const page = next && new URL(next).searchParams.get('page')
    if (!page) return
    query = { ...query, page: Number(page) }
  }
}

interface OffsetOptions {
  query?: { offset?: number; limit?: number }
}

/** Yields the items of all pages of a list of version 2. */
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
