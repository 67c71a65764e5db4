import type { Operation, Schemas } from './operation.ts'
import { collections, collectionUri } from './urls.ts'

export const getIndex: Operation<'getIndex'> = async ({ context }) => {
  const entries = collections.map((name) => [name, collectionUri(context.services, name)])
  return { status: 200, body: Object.fromEntries(entries) as Schemas['Index'] }
}
