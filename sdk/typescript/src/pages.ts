interface Numbered {
  query?: { page?: number; page_size?: number }
}

/** Items of every page of a list of version 3, each page asked for when the one before it is used up. */
export async function* walkPages<Options extends Numbered, Item>(
  read: (options: Options) => Promise<{ results: Item[]; next: string | null }>,
  options: Options,
): AsyncGenerator<Item> {
  // The service takes the most it allows.
  let query = { page_size: 200, ...options.query }
  for (;;) {
    const { results, next } = await read({ ...options, query })
    yield* results
    // Only the number is taken: credentials go to no other address than the one that was given.
    const page = next && new URL(next).searchParams.get('page')
    if (!page) return
    query = { ...query, page: Number(page) }
  }
}

interface Offset {
  query?: { offset?: number; limit?: number }
}

/** Items of every page of a list of version 2. */
export async function* walkOffsets<Options extends Offset, Item>(
  read: (options: Options) => Promise<{ items: Item[]; total: number }>,
  options: Options,
): AsyncGenerator<Item> {
  let offset = options.query?.offset ?? 0
  for (;;) {
    const { items, total } = await read({ ...options, query: { limit: 200, ...options.query, offset } })
    yield* items
    offset += items.length
    if (items.length === 0 || offset >= total) return
  }
}
