import { problems } from '../../domain/problem.ts'
import { rehearse } from '../../domain/rehearsal/rehearse.ts'
import type { RehearsalReport } from '../../domain/rehearsal/report.ts'
import type { Services } from '../../domain/services.ts'
import type { CopiedStructure } from '../../domain/structure/edit/copy-between.ts'
import { stopsPublishing } from '../../domain/structure/publishing/findings.ts'
import { replaceStructure } from '../../domain/survey/commands.ts'
import { copyToSurvey as copyQuestions } from '../../domain/survey/copy-questions.ts'
import * as drafts from '../../domain/survey/drafts.ts'
import { checkDraft as findDraftFindings } from '../../domain/survey/drafts.ts'
import { findStructure } from '../../domain/survey/queries.ts'
import * as library from '../../domain/survey/question-library.ts'
import * as versions from '../../domain/survey/versions.ts'
import { findWorkingCopy, type WorkingCopy } from '../../domain/survey/working-copy.ts'
import { pageReply } from '../paging.ts'
import { warningView } from '../warning-view.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { collectionUri, surveyUri, userUri, versionUri } from './urls.ts'

const draftView = (
  services: Services,
  { draft, published, changed, revision, structure }: WorkingCopy,
): Schemas['Draft'] => ({
  version: draft?.baseVersion ?? published.version,
  revision,
  changed,
  author: draft?.authorId === undefined ? null : userUri(services, draft.authorId),
  updated_at: draft?.updatedAt.toISOString() ?? null,
  structure,
})

export const getDraft: Operation<'getDraft'> = async ({ context, path }) => ({
  status: 200,
  body: draftView(context.services, await findWorkingCopy(context, path.survey_id)),
})

export const updateDraft: Operation<'updateDraft'> = async ({ context, path, body }) => {
  const { warnings, ...copy } = await drafts.replaceDraft(context, path.survey_id, structureIn(body))
  return { status: 200, body: { ...draftView(context.services, copy), warnings: warnings.map(warningView) } }
}

export const discardDraft: Operation<'discardDraft'> = async ({ context, path }) => {
  await drafts.discardDraft(context, path.survey_id)
  return { status: 200, body: 'OK' }
}

export const checkDraft: Operation<'checkDraft'> = async ({ context, path }) => {
  const { revision, findings, total } = await findDraftFindings(context, path.survey_id)
  const views = findings.map((finding) => ({ ...warningView(finding), stops_publishing: stopsPublishing(finding) }))
  const publishable = !findings.some(stopsPublishing)
  return { status: 200, body: { revision, publishable, count: total, findings: views } }
}

export const rehearseSurvey: Operation<'rehearseSurvey'> = async ({ context, path, body }) => {
  const report = await rehearse(context, path.survey_id, body)
  return { status: 200, body: rehearsalView(report) }
}

const rehearsalView = ({
  minutes,
  languages,
  pathCount,
  obstacles,
  unseenPages,
  unseenQuestions,
  quotas,
  paths,
  sample,
  ...rest
}: RehearsalReport): Schemas['Rehearsal'] => ({
  ...rest,
  minutes: minutes ?? null,
  languages: languages.map((language) => ({ ...language, minutes: language.minutes ?? null })),
  paths: paths.map((walked) => ({ ...walked, pages: [...walked.pages] })),
  path_count: pathCount,
  dead_ends: obstacles.map(({ page, question, code, message, walks }) => ({
    page,
    question: question?.id ?? null,
    code,
    message,
    walks,
  })),
  unseen_pages: unseenPages.map(({ page, isCertain }) => ({ page, certain: isCertain })),
  unseen_questions: unseenQuestions.map(({ question: { id, page }, isCertain }) => ({
    question: id,
    page,
    certain: isCertain,
  })),
  quotas: quotas.map(({ name, limit, walks, isCertain }) => ({ name, limit, walks, certain: isCertain })),
  sample: { columns: [...sample.columns], rows: sample.rows.map((row) => [...row]) },
})

export const copyToSurvey: Operation<'copyToSurvey'> = async ({ context, path, body }) => {
  const { question, page, to, to_page: toPage } = body
  if (question === undefined && page === undefined) throw problems.invalidField('question', 'missing_parameter')
  const source = question === undefined ? { page: page! - 1 } : { question }
  const place = { survey: to, page: toPage === undefined ? undefined : toPage - 1 }
  const copied = await copyQuestions(context, path.survey_id, source, place)
  return { status: 201, body: copyView(to, copied) }
}

const copyView = (survey: number, copied: CopiedStructure): Schemas['DraftCopy'] => ({
  survey,
  page: copied.page + 1,
  questions: [...copied.ids].map(([from, to]) => ({ from, to })),
  losses: copied.losses.map(({ question, what }) => ({ question: question ?? null, what })),
  untranslated: [...copied.untranslated],
  lost_languages: [...copied.lostLanguages],
})

const libraryView = (saved: library.LibraryQuestion): Schemas['LibraryQuestion'] => ({
  id: saved.id,
  name: saved.name,
  idname: saved.idname,
  languages: [...saved.languages],
  user_id: saved.ownerId,
  author: saved.owner,
  group: saved.group?.id ?? null,
  created_at: saved.createdAt.toISOString(),
})

export const listLibraryQuestions: Operation<'listLibraryQuestions'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const { total, questions } = await library.listLibrary(context, query.search, page)
  const uri = collectionUri(context.services, 'question-library')
  return pageReply(uri, search, page, total, questions.map(libraryView))
}

export const createLibraryQuestion: Operation<'createLibraryQuestion'> = async ({ context, body }) => {
  const { survey, question, name, group } = body
  const { saved, losses } = await library.saveToLibrary(context, survey, question, { name, group })
  return { status: 201, body: { ...libraryView(saved), losses: [...losses] } }
}

export const deleteLibraryQuestion: Operation<'deleteLibraryQuestion'> = async ({ context, path }) => {
  await library.deleteFromLibrary(context, path.library_question_id)
  return { status: 200, body: 'OK' }
}

export const insertLibraryQuestion: Operation<'insertLibraryQuestion'> = async ({ context, path, body }) => {
  const { library_question: id, page, position } = body
  const fromZero = (number: number | undefined) => (number === undefined ? undefined : number - 1)
  const place = { page: fromZero(page), position: fromZero(position) }
  const copied = await library.insertFromLibrary(context, path.survey_id, id, place)
  return { status: 201, body: copyView(path.survey_id, copied) }
}

export const publishDraft: Operation<'publishDraft'> = async ({ context, path, body }) => {
  const published = await drafts.publishDraft(context, path.survey_id, body.revision, body.replaces)
  return { status: 200, body: { status: 'OK', ...published } }
}

export const getStructure: Operation<'getStructure'> = async ({ context, path }) => {
  return { status: 200, body: await findStructure(context, path.survey_id) }
}

export const updateStructure: Operation<'updateStructure'> = async ({ context, path, query, body }) => {
  const { warnings, ...saved } = await replaceStructure(context, path.survey_id, structureIn(body))
  return {
    status: 200,
    body: query.warnings ? { status: 'OK', ...saved, warnings: warnings.map(warningView) } : 'OK',
  }
}

/** Returns the structure in a body: its member `structure`, or the body itself. */
const structureIn = (body: Schemas['StructureChange']): unknown =>
  'structure' in body ? body.structure : bareStructure(body)

/**
 * Returns the body as a structure. Returns an empty object if the body has neither `title` nor `form`, because its
 * `name` is then probably the name of the survey.
 */
const bareStructure = (body: Schemas['UntitledStructure']): object =>
  body.title === undefined && body.form === undefined ? {} : body

const summaryView = (services: Services, version: versions.VersionSummary): Schemas['VersionSummary'] => ({
  version: version.version,
  created_at: version.createdAt.toISOString(),
  creator: userUri(services, version.creator),
  is_current: version.isCurrent,
  version_uri: versionUri(services, version.survey, version.version),
})

const versionView = (services: Services, version: versions.VersionDetails): Schemas['Version'] => ({
  ...summaryView(services, version),
  structure: version.structure,
})

export const listVersions: Operation<'listVersions'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, versions: items } = await versions.listVersions(context, path.survey_id, page)
  const results = items.map((version) => summaryView(context.services, version))
  return pageReply(`${surveyUri(context.services, path.survey_id)}versions/`, search, page, total, results)
}

export const restoreVersion: Operation<'restoreVersion'> = async ({ context, path, body }) => {
  const restored = await versions.restoreVersion(context, path.survey_id, body.restore)
  return { status: 201, body: versionView(context.services, restored) }
}

export const getVersion: Operation<'getVersion'> = async ({ context, path }) => {
  const version = await versions.findVersion(context, path.survey_id, path.version)
  return { status: 200, body: versionView(context.services, version) }
}

export const diffVersions: Operation<'diffVersions'> = async ({ context, path: { survey_id, version, other } }) => {
  const diff = await versions.diffVersions(context, survey_id, version, other)
  return { status: 200, body: { from: version, to: other, ...diff } }
}
