import * as links from '../../domain/survey/preview-links.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { surveyUri } from './urls.ts'

const linkView = ({ id, label, version, createdAt, expiresAt }: links.PreviewLink): Schemas['PreviewLink'] => ({
  id,
  label,
  version,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
})

export const listPreviewLinks: Operation<'listPreviewLinks'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, links: items } = await links.listPreviewLinks(context, path.survey_id, page)
  const uri = `${surveyUri(context.services, path.survey_id)}preview-links/`
  return pageReply(uri, search, page, total, items.map(linkView))
}

export const createPreviewLink: Operation<'createPreviewLink'> = async ({ context, path, body }) => {
  const { label, version, expires_in_days: days } = body ?? {}
  const { url, ...link } = await links.createPreviewLink(context, path.survey_id, { label, version, days })
  return { status: 201, body: { ...linkView(link), url } }
}

export const revokePreviewLink: Operation<'revokePreviewLink'> = async ({ context, path }) => {
  await links.revokePreviewLink(context, path.survey_id, path.preview_link_id)
  return { status: 200, body: 'OK' }
}
