import { descriptionLink } from '../../lib/description-link.ts'
import type { Operation, Schemas } from './operation.ts'
import { collections, collectionUri } from './urls.ts'

export const getIndex: Operation<'getIndex'> = async ({ context }) => {
  const entries = collections.map((name) => [name, collectionUri(context.services, name)])
  const headers = { Link: descriptionLink(context.services.baseUrl, 'v3') }
  return { status: 200, body: Object.fromEntries(entries) as Schemas['Index'], headers }
}
