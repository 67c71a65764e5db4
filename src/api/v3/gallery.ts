import type { Services } from '../../domain/services.ts'
import { type ConvertedForm, readXlsform } from '../../domain/structure/xlsform/read.ts'
import { findGalleryTemplate, type GalleryTemplate, galleryTemplates } from '../../domain/survey/gallery/gallery.ts'
import * as templates from '../../domain/survey/templates.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { collectionUri, galleryTemplateUri } from './urls.ts'
import { templateSummaryView, templateView } from './views.ts'

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

/** Shows a template of the gallery as lists contain it. */
const galleryTemplateSummaryView = (
  services: Services,
  { id, name, description, category, languages, questions }: GalleryTemplate,
): Schemas['GalleryTemplateSummary'] => ({
  id,
  name,
  description,
  category,
  languages: [...languages],
  number_of_questions: questions,
  gallery_template_uri: galleryTemplateUri(services, id),
})

/** Shows a template of the gallery with its structure. */
const galleryTemplateView = (services: Services, template: GalleryTemplate): Schemas['GalleryTemplate'] => ({
  ...galleryTemplateSummaryView(services, template),
  structure: template.structure,
})

/** Shows the result of converting an XLSForm. */
const convertedFormView = ({ structure, issues }: ConvertedForm): Schemas['ConvertedXlsform'] => ({
  structure,
  issues: issues.map(({ code, sheet, row, column, value, message }) => ({ code, sheet, row, column, value, message })),
})

export const listTemplates: Operation<'listTemplates'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const { total, templates: items } = await templates.listTemplates(context, page)
  const results = items.map((template) => templateSummaryView(context.services, template))
  return pageReply(collectionUri(context.services, 'templates'), search, page, total, results)
}

export const createTemplate: Operation<'createTemplate'> = async ({ context, body }) => {
  const { name, structure, survey } = body
  const template = await templates.createTemplate(context, { name, structure, survey })
  return { status: 201, body: templateView(context.services, template) }
}

export const getTemplate: Operation<'getTemplate'> = async ({ context, path }) => {
  const template = await templates.findTemplate(context, path.template_id)
  return { status: 200, body: templateView(context.services, template) }
}

export const updateTemplate: Operation<'updateTemplate'> = async ({ context, path, body: { name, structure } }) => {
  const template = await templates.updateTemplate(context, path.template_id, { name, structure })
  return { status: 200, body: templateView(context.services, template) }
}

export const deleteTemplate: Operation<'deleteTemplate'> = async ({ context, path }) => {
  await templates.deleteTemplate(context, path.template_id)
  return { status: 200, body: 'OK' }
}
