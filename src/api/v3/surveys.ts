import { listProviderFailures } from '../../domain/identity/failure.ts'
import * as copies from '../../domain/report/duplicate-survey.ts'
import type { Services } from '../../domain/services.ts'
import type { StructureLanguage } from '../../domain/structure/structure.ts'
import * as commands from '../../domain/survey/commands.ts'
import { findConfiguration, updateConfiguration } from '../../domain/survey/configure.ts'
import * as queries from '../../domain/survey/queries.ts'
import * as sharing from '../../domain/survey/sharing.ts'
import * as tags from '../../domain/survey/tags.ts'
import * as domain from '../../domain/survey/texts.ts'
import { findLanguages, findSurveyTheme, replaceLanguages, updateSurveyTheme } from '../../domain/survey/texts.ts'
import * as trash from '../../domain/survey/trash.ts'
import { changeableTexts, defaultTexts } from '../../domain/text/catalog.ts'
import { findAccountTheme, updateAccountTheme } from '../../domain/theme/store.ts'
import { coverPath, fontPath, type Logo, logoPath, type Theme } from '../../domain/theme/theme.ts'
import { descriptionLink } from '../../lib/http.ts'
import { mainForm } from '../../lib/texts.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { collections, collectionUri, surveyUri } from './urls.ts'
import { isLive, settingsView, signInFailureView, surveyView } from './views.ts'

export const listSurveys: Operation<'listSurveys'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const filter = { search: query.search, tag: query.tags, group: query.group }
  const { total, surveys } = await queries.listSurveys(context, filter, page)
  const results = surveys.map((survey) => surveyView(context.services, survey))
  return pageReply(collectionUri(context.services, 'surveys'), search, page, total, results)
}

export const createSurvey: Operation<'createSurvey'> = async ({ context, body }) => {
  const { name, live, template, gallery_template: galleryTemplate, initial_structure: initialStructure } = body
  // Old programs send the properties of a survey as `structure`.
  const { structure } = body
  const isStructure = structure !== undefined && ('form' in structure || 'title' in structure)
  const draft = {
    name,
    live: isLive(live),
    template,
    galleryTemplate,
    structure: isStructure ? structure : undefined,
    initialStructure,
  }
  const { id } = await commands.createSurvey(context, draft)
  return { status: 201, body: surveyView(context.services, await queries.summariseSurvey(context, id)) }
}

export const getSurvey: Operation<'getSurvey'> = async ({ context, path }) => {
  const survey = await queries.summariseSurvey(context, path.survey_id)
  return { status: 200, body: surveyView(context.services, survey) }
}

export const updateSurvey: Operation<'updateSurvey'> = async ({ context, path, body }) => {
  await commands.updateSurvey(context, path.survey_id, { name: body.name, live: isLive(body.live) })
  return { status: 200, body: surveyView(context.services, await queries.summariseSurvey(context, path.survey_id)) }
}

export const duplicateSurvey: Operation<'duplicateSurvey'> = async ({ context, path, body }) => {
  const { id } = await copies.duplicateSurvey(context, path.survey_id, body.name)
  return { status: 201, body: surveyView(context.services, await queries.summariseSurvey(context, id)) }
}

export const deleteSurvey: Operation<'deleteSurvey'> = async ({ context, path }) => {
  await trash.deleteSurvey(context, path.survey_id)
  return { status: 200, body: 'OK' }
}

export const listDeletedSurveys: Operation<'listDeletedSurveys'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const { total, surveys } = await trash.listDeletedSurveys(context, page)
  const results = surveys.map(({ id, name, slug, responses, deletedAt, erasedAt }) => ({
    id,
    name,
    slug,
    number_of_responses: responses,
    deleted_at: deletedAt.toISOString(),
    erased_at: erasedAt.toISOString(),
  }))
  return pageReply(`${context.services.baseUrl}/api/v3/deleted-surveys/`, search, page, total, results)
}

export const restoreSurvey: Operation<'restoreSurvey'> = async ({ context, path }) => {
  await trash.restoreSurvey(context, path.deleted_survey_id)
  return {
    status: 201,
    body: surveyView(context.services, await queries.summariseSurvey(context, path.deleted_survey_id)),
  }
}

export const eraseSurvey: Operation<'eraseSurvey'> = async ({ context, path }) => {
  await trash.eraseSurvey(context, path.deleted_survey_id)
  return { status: 200, body: 'OK' }
}

export const getIndex: Operation<'getIndex'> = async ({ context }) => {
  const entries = collections.map((name) => [name, collectionUri(context.services, name)])
  const headers = { Link: descriptionLink(context.services.baseUrl, 'v3') }
  return { status: 200, body: Object.fromEntries(entries) as Schemas['Index'], headers }
}

export const getSettings: Operation<'getSettings'> = async ({ context, path }) => {
  return { status: 200, body: settingsView(await findConfiguration(context, path.survey_id)) }
}

export const updateSettings: Operation<'updateSettings'> = async ({ context, path, body: { live, ...change } }) => {
  const configuration = await updateConfiguration(context, path.survey_id, { ...change, live: isLive(live) })
  return { status: 200, body: settingsView(configuration) }
}

export const listSignInFailures: Operation<'listSignInFailures'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const failures = await listProviderFailures(context, path.survey_id)
  const results = failures.slice(page.offset, page.offset + page.limit).map(signInFailureView)
  const uri = `${surveyUri(context.services, path.survey_id)}sign_in_failures/`
  return pageReply(uri, search, page, failures.length, results)
}

const groupIdsOf = (group: number | string | undefined) => (group === undefined ? undefined : String(group))

export const listSurveyGroups: Operation<'listSurveyGroups'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, groups } = await sharing.listSurveyGroups(context, path.survey_id, page)
  const results = groups.map(({ id, name, members }) => ({ id, name, num_members: members }))
  return pageReply(`${surveyUri(context.services, path.survey_id)}groups/`, search, page, total, results)
}

type Sharing = Pick<Parameters<Operation<'shareSurvey'>>[0], 'context' | 'path' | 'body'>

async function share({ context, path, body }: Sharing) {
  const fromReply = body.results?.map(({ id }) => id)
  await sharing.shareSurvey(context, path.survey_id, groupIdsOf(body.group) ?? fromReply)
  return { status: 200, body: 'OK' } as const
}

export const shareSurvey: Operation<'shareSurvey'> = share

/** POST does the same as PUT, for clients that create every sub-resource of a survey with POST. */
export const shareSurveyAlias: Operation<'shareSurveyAlias'> = share

export const unshareSurvey: Operation<'unshareSurvey'> = async ({ context, path, query, body }) => {
  await sharing.unshareSurvey(context, path.survey_id, groupIdsOf(query.group ?? body.group))
  return { status: 200, body: 'OK' }
}

export const listTags: Operation<'listTags'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, names } = await tags.listTags(context, path.survey_id, page)
  const results = names.map((name) => ({ name }))
  return pageReply(`${surveyUri(context.services, path.survey_id)}tags/`, search, page, total, results)
}

export const addTag: Operation<'addTag'> = async ({ context, path, body }) => {
  return { status: 201, body: { name: await tags.addTag(context, path.survey_id, body.name) } }
}

export const removeTag: Operation<'removeTag'> = async ({ context, path, query, body }) => {
  await tags.removeTag(context, path.survey_id, query.name ?? body.name)
  return { status: 200, body: 'OK' }
}

const defaultsIn = (code: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(changeableTexts(defaultTexts(code).texts)).map(([name, text]) => [name, mainForm(text)]),
  )

const textsView = ({ overrides, languages }: domain.SurveyTexts): Schemas['SurveyTexts'] => {
  const codes = new Set([...languages.map(({ code }) => code), ...Object.keys(overrides)])
  return { texts: overrides, defaults: Object.fromEntries([...codes].map((code) => [code, defaultsIn(code)])) }
}

export const getSurveyTexts: Operation<'getSurveyTexts'> = async ({ context, path }) => ({
  status: 200,
  body: textsView(await domain.findSurveyTexts(context, path.survey_id)),
})

export const updateSurveyTexts: Operation<'updateSurveyTexts'> = async ({ context, path, body }) => ({
  status: 200,
  body: textsView(await domain.updateSurveyTexts(context, path.survey_id, body.texts ?? {})),
})

interface PageQuery {
  page?: number
  page_size?: number
}

const languagePage = (
  services: Services,
  id: number,
  languages: readonly StructureLanguage[],
  query: PageQuery,
  search: string,
) => {
  const page = collectionPage(query)
  const results = languages.slice(page.offset, page.offset + page.limit)
  return pageReply(`${surveyUri(services, id)}languages/`, search, page, languages.length, results)
}

export const listLanguages: Operation<'listLanguages'> = async ({ context, path, query, search }) => {
  const languages = await findLanguages(context, path.survey_id)
  return languagePage(context.services, path.survey_id, languages, query, search)
}

export const updateLanguages: Operation<'updateLanguages'> = async ({ context, path, body }) => {
  const replacements = Array.isArray(body) ? body : 'languages' in body ? body.languages : body.results
  const languages = await replaceLanguages(context, path.survey_id, replacements)
  return languagePage(context.services, path.survey_id, languages, {}, '')
}

const linksView = (links: NonNullable<Theme['footer']>['links']): Schemas['ThemeLink'][] =>
  links.map(({ label, url }) => ({ label, url }))

const imageView = (image: Logo | undefined, url: (image: Logo) => string): Schemas['Logo'] | null =>
  image ? { url: url(image), type: image.type, width: image.width, height: image.height } : null

const themeView = ({ baseUrl }: Services, theme: Partial<Theme>): Schemas['Theme'] => {
  const { logo, cover, font_file: font, footer, thank_you_page } = theme
  return {
    accent_color: theme.accent_color ?? null,
    background_color: theme.background_color ?? null,
    font: theme.font ?? null,
    corners: theme.corners ?? null,
    layout: theme.layout ?? null,
    logo_text: theme.logo_text ?? null,
    logo: imageView(logo, (image) => baseUrl + logoPath(image)),
    cover_text: theme.cover_text ?? null,
    cover: imageView(cover, (image) => baseUrl + coverPath(image)),
    font_file: font ? { url: baseUrl + fontPath(font), size: font.size } : null,
    footer: footer ? { text: footer.text, links: linksView(footer.links) } : null,
    thank_you_page: thank_you_page
      ? { title: thank_you_page.title, text: thank_you_page.text, links: linksView(thank_you_page.links) }
      : null,
  }
}

export const getTheme: Operation<'getTheme'> = async ({ context, path }) => {
  const { survey } = await findSurveyTheme(context, path.survey_id)
  return { status: 200, body: themeView(context.services, survey) }
}

export const updateTheme: Operation<'updateTheme'> = async ({ context, path, body }) => {
  const { survey } = await updateSurveyTheme(context, path.survey_id, body)
  return { status: 200, body: themeView(context.services, survey) }
}

export const getUserTheme: Operation<'getUserTheme'> = async ({ context, path }) => ({
  status: 200,
  body: themeView(context.services, await findAccountTheme(context, path.user_id)),
})

export const updateUserTheme: Operation<'updateUserTheme'> = async ({ context, path, body }) => ({
  status: 200,
  body: themeView(context.services, await updateAccountTheme(context, path.user_id, body)),
})
