import * as templates from '../../domain/survey/templates.ts'
import { pageReply } from '../paging.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { collectionUri } from './urls.ts'
import { templateSummaryView, templateView } from './views.ts'

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
