import * as commands from '../../domain/collector/commands.ts'
import * as embeds from '../../domain/collector/embeds.ts'
import * as panelReturns from '../../domain/collector/panel-return.ts'
import type { CollectorSummary } from '../../domain/collector/queries.ts'
import * as queries from '../../domain/collector/queries.ts'
import type { Context } from '../../domain/context.ts'
import type { Services } from '../../domain/services.ts'
import { DEFAULT_SIGNATURE_PARAMETER, type PanelReturn } from '../../domain/survey/panel-return.ts'
import { defaultSettings, type SurveySettings } from '../../domain/survey/settings.ts'
import { surveyUrl } from '../../domain/survey-address.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { collectionUri, collectorUri, surveyUri } from './urls.ts'
import { embedView, isLive, liveView, settingsView } from './views.ts'

export const listSurveyCollectors: Operation<'listSurveyCollectors'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, collectors } = await queries.listCollectors(context, path.survey_id, page)
  const results = collectors.map((collector) => collectorView(context.services, collector))
  return pageReply(`${surveyUri(context.services, path.survey_id)}collectors/`, search, page, total, results)
}

export const createSurveyCollector: Operation<'createSurveyCollector'> = async ({ context, path, body }) => {
  const draft = { survey: path.survey_id, name: body.name, live: isLive(body.live), settings: body.settings }
  const { id } = await commands.createCollector(context, draft)
  return { status: 201, body: collectorView(context.services, await queries.summariseCollector(context, id)) }
}

export const listCollectors: Operation<'listCollectors'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const { total, collectors } = await queries.listCollectors(context, undefined, page)
  const results = collectors.map((collector) => collectorView(context.services, collector))
  return pageReply(collectionUri(context.services, 'collectors'), search, page, total, results)
}

export const createCollector: Operation<'createCollector'> = async ({ context, body }) => {
  const draft = { survey: body.survey, name: body.name, live: isLive(body.live), settings: body.settings }
  const { id } = await commands.createCollector(context, draft)
  return { status: 201, body: collectorView(context.services, await queries.summariseCollector(context, id)) }
}

export const getCollector: Operation<'getCollector'> = async ({ context, path }) => {
  const collector = await queries.summariseCollector(context, path.collector_id)
  return { status: 200, body: collectorView(context.services, collector) }
}

export const updateCollector: Operation<'updateCollector'> = async ({ context, path, body }) => {
  const id = path.collector_id
  await commands.updateCollector(context, id, { name: body.name, live: isLive(body.live), settings: body.settings })
  return { status: 200, body: collectorView(context.services, await queries.summariseCollector(context, id)) }
}

export const deleteCollector: Operation<'deleteCollector'> = async ({ context, path }) => {
  await commands.deleteCollector(context, path.collector_id)
  return { status: 200, body: 'OK' }
}

export const getCollectorAlias: Operation<'getCollectorAlias'> = async (request) => {
  await queries.assertCollectorInSurvey(request.context, request.path.survey_id, request.path.collector_id)
  return getCollector(request)
}

export const updateCollectorAlias: Operation<'updateCollectorAlias'> = async (request) => {
  await queries.assertCollectorInSurvey(request.context, request.path.survey_id, request.path.collector_id)
  return updateCollector(request)
}

export const deleteCollectorAlias: Operation<'deleteCollectorAlias'> = async (request) => {
  await queries.assertCollectorInSurvey(request.context, request.path.survey_id, request.path.collector_id)
  return deleteCollector(request)
}

export const getPanelReturn: Operation<'getPanelReturn'> = async ({ context, path }) => {
  const panel = await panelReturns.findPanelReturn(context, path.collector_id)
  return { status: 200, body: panelView(context.services, await summary(context, path), panel) }
}

export const updatePanelReturn: Operation<'updatePanelReturn'> = async ({ context, path, body }) => {
  const { parameter, complete, screened_out, quota_full, signature_parameter } = body
  const change = { parameter, complete, screened_out, quota_full, signature_parameter }
  const panel = await panelReturns.updatePanelReturn(context, path.collector_id, change)
  return { status: 200, body: panelView(context.services, await summary(context, path), panel) }
}

export const deletePanelReturn: Operation<'deletePanelReturn'> = async ({ context, path }) => {
  await panelReturns.deletePanelReturn(context, path.collector_id)
  return { status: 200, body: 'OK' }
}

export const rotatePanelSecret: Operation<'rotatePanelSecret'> = async ({ context, path }) => ({
  status: 200,
  body: { secret: await panelReturns.rotatePanelSecret(context, path.collector_id) },
})

const summary = (context: Context, path: { collector_id: number }) =>
  queries.summariseCollector(context, path.collector_id)

const panelView = (
  services: Services,
  collector: CollectorSummary,
  panel: PanelReturn | null,
): Schemas['PanelReturn'] => ({
  collector_uri: collectorUri(services, collector.id),
  parameter: panel?.parameter ?? null,
  complete: panel?.complete ?? null,
  screened_out: panel?.screened_out ?? null,
  quota_full: panel?.quota_full ?? null,
  signature_parameter: panel?.signature_parameter ?? DEFAULT_SIGNATURE_PARAMETER,
  signed: panel ? panel.secret_encrypted !== null : false,
  entry_url: panel ? panelReturns.entryUrl(services, collector, panel) : null,
})

/** Returns the name that a stored setting has in the API. */
const publicName = (member: string) => (member === 'password_hash' ? 'password' : member)

/** Returns the settings that differ from the settings of the survey, without secrets. */
function differenceView(difference: Partial<SurveySettings>): Schemas['Collector']['settings'] {
  const whole = settingsView({ live: true, settings: { ...defaultSettings, ...difference } })
  const members = new Set(Object.keys(difference).map(publicName))
  return Object.fromEntries(Object.entries(whole).filter(([member]) => members.has(member)))
}

const collectorView = (services: Services, collector: CollectorSummary): Schemas['Collector'] => ({
  id: collector.id,
  name: collector.name,
  live: liveView(collector.live),
  survey: collector.survey.id,
  survey_uri: surveyUri(services, collector.survey.id),
  collector_uri: collectorUri(services, collector.id),
  deploy_url: surveyUrl(services.baseUrl, collector.survey, collector.isDefault ? undefined : collector.id),
  responses: collector.responses,
  is_default: collector.isDefault,
  settings: differenceView(collector.settings),
})

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
