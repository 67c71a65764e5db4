import * as embeds from '../../domain/collector/embeds.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation } from './operation.ts'
import { collectionUri } from './urls.ts'
import { embedView } from './views.ts'

export const listEmbeds: Operation<'listEmbeds'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const { total, embeds: items } = await embeds.listEmbeds(context, page)
  const results = items.map((embed) => embedView(context.services, embed))
  return pageReply(collectionUri(context.services, 'embeds'), search, page, total, results)
}

export const createEmbed: Operation<'createEmbed'> = async ({ context, body }) => {
  const { survey, kind, collector } = body
  return {
    status: 201,
    body: embedView(context.services, await embeds.createEmbed(context, { survey, kind, collector })),
  }
}

export const getEmbed: Operation<'getEmbed'> = async ({ context, path }) => {
  return { status: 200, body: embedView(context.services, await embeds.findEmbed(context, path.embed_id)) }
}

export const updateEmbed: Operation<'updateEmbed'> = async ({ context, path, body }) => {
  const { survey, kind, collector } = body
  const embed = await embeds.updateEmbed(context, path.embed_id, { survey, kind, collector })
  return { status: 200, body: embedView(context.services, embed) }
}

export const deleteEmbed: Operation<'deleteEmbed'> = async ({ context, path }) => {
  await embeds.deleteEmbed(context, path.embed_id)
  return { status: 200, body: 'OK' }
}

/** Operations under the deprecated path `/embed/`. They do the same as the operations above. */
export {
  createEmbed as createEmbedAlias,
  deleteEmbed as deleteEmbedAlias,
  getEmbed as getEmbedAlias,
  listEmbeds as listEmbedsAlias,
  updateEmbed as updateEmbedAlias,
}
