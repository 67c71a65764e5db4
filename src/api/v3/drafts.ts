import { rehearse } from '../../domain/rehearsal/rehearse.ts'
import type { RehearsalReport } from '../../domain/rehearsal/report.ts'
import type { Services } from '../../domain/services.ts'
import { stopsPublishing } from '../../domain/structure/publishing/findings.ts'
import * as drafts from '../../domain/survey/drafts.ts'
import { checkDraft as findDraftFindings } from '../../domain/survey/drafts.ts'
import { findWorkingCopy, type WorkingCopy } from '../../domain/survey/working-copy.ts'
import { warningView } from '../warning-view.ts'
import type { Operation, Schemas } from './operation.ts'
import { structureIn } from './structure-in.ts'
import { userUri } from './urls.ts'

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

export const publishDraft: Operation<'publishDraft'> = async ({ context, path, body }) => {
  const published = await drafts.publishDraft(context, path.survey_id, body.revision, body.replaces)
  return { status: 200, body: { status: 'OK', ...published } }
}
