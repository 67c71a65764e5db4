import { readXlsform } from '../../domain/structure/xlsform/read.ts'
import { findGalleryTemplate, galleryTemplates } from '../../domain/survey/gallery/gallery.ts'
import { pageReply } from '../paging.ts'
import { convertedFormView, galleryTemplateSummaryView, galleryTemplateView } from './gallery-view.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { collectionUri } from './urls.ts'

export const listGalleryTemplates: Operation<'listGalleryTemplates'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const { total, templates } = galleryTemplates(page)
  const results = templates.map((template) => galleryTemplateSummaryView(context.services, template))
  return pageReply(collectionUri(context.services, 'gallery'), search, page, total, results)
}

export const getGalleryTemplate: Operation<'getGalleryTemplate'> = async ({ context, path }) => {
  const template = findGalleryTemplate(path.gallery_template_id)
  return { status: 200, body: galleryTemplateView(context.services, template) }
}

export const convertXlsform: Operation<'convertXlsform'> = async ({ context, body }) => {
  return { status: 200, body: convertedFormView(await readXlsform(context, body)) }
}
