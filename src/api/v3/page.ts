import { type Page, pageOf, type Slice, sliceOf } from '../../lib/paging.ts'

/** The asked-for page of a collection: 10 entries, at most 100; the pages 0 and 1 are both the first. */
export const collectionPage = (query: { page?: number; page_size?: number }): Page =>
  pageOf({ page: query.page, pageSize: query.page_size, first: 1, default: 10, max: 100 })

/** As {@link collectionPage}, for clients that ask with the `offset` and `limit` of v2. */
export const collectionSlice = (query: { offset?: number; limit?: number }): Slice =>
  sliceOf({ ...query, default: 10, max: 100 })
