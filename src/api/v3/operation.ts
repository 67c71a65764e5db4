import type { components, operations as described } from '../../../generated/v3/types.ts'
import { type Page, pageOf, type Slice, sliceOf } from '../../lib/paging.ts'
import type { Handler, Served } from '../engine/operation.ts'

export type operations = Served<described>
/** A handler of one operation of this version, typed by the contract. */
export type Operation<Id extends keyof operations> = Handler<operations[Id]>
/** The schemas of this version, for its views. */
export type Schemas = components['schemas']

/** Returns the page of a collection: 10 entries by default, at most 100. Pages 0 and 1 are both the first page. */
export const collectionPage = (query: { page?: number; page_size?: number }): Page =>
  pageOf({ page: query.page, pageSize: query.page_size, first: 1, default: 10, max: 100 })

/** Does the same as {@link collectionPage} for clients that use `offset` and `limit`. */
export const collectionSlice = (query: { offset?: number; limit?: number }): Slice =>
  sliceOf({ ...query, default: 10, max: 100 })
