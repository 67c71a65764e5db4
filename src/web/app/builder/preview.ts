import { type Decision, decide, type Submission, shownBy } from '../../../domain/respondent/decide.ts'
import { readAnswers } from '../../../domain/structure/answers.ts'
import { compile } from '../../../domain/structure/compile.ts'
import { firstPage } from '../../../domain/structure/flow.ts'
import { numberStructure } from '../../../domain/structure/numbering.ts'
import type { Answers, Questionnaire } from '../../../domain/structure/questionnaire.ts'
import { fromForm } from '../../../domain/structure/stored.ts'
import { normaliseStructure } from '../../../domain/structure/structure.ts'
import { isRecord, pagePlaces } from '../../../domain/structure/walk.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import { findCurrentVersion } from '../../../domain/survey/versions.ts'
import { randomKey } from '../../../lib/token.ts'
import { setContentSecurityPolicy } from '../../csp.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { languageFor, voiceOf } from '../../i18n/i18n.ts'
import type { PageResult } from '../../page.ts'
import { keyIn } from '../../respondent/address.ts'
import { callerGone } from '../../respondent/draw.ts'

import { clashErrors, goOf, hiddenOf, rawOf, shownOf } from '../../respondent/input.ts'

import type { SurveyRequest } from '../surveys/frame.ts'
import { previewErrorsPage, previewPage, type Shown } from './preview-view.ts'
import { formatStructure, parseStructureText } from './read-structure.ts'

/**
 * An unsaved structure as respondents will see it. Everything it needs to know travels in its form: the structure, the
 * answers so far and the pages done. Nothing is stored.
 */
export async function showPreview(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, ctx, root, csrf } = request
  allowOwnFrames(request)
  const current = await findCurrentVersion(context, survey.id)
  const text = formValue(form, '_structure') ?? formValue(form, 'structure') ?? formatStructure(current.structure)
  const { authored, errors } = parseStructureText(text)
  if (errors.length > 0) return { status: 422, page: previewErrorsPage(errors) }
  const q = compile(numberStructure(normaliseStructure(authored), current).structure)
  const { settings } = await findSnapshot(context, survey.id, ['Edit', 'Test'])
  const language = languageFor(q, formValue(form, '_language') ?? formValue(form, '_lang'), undefined, (codes) =>
    ctx.acceptsLanguages(codes),
  )
  const before = { answers: answersIn(q, form), pagepath: formValue(form, '_pagepath') || null }
  const decision = decisionOf(q, before, form, language)
  if (decision && formValue(form, '_go') === 'look') return { json: { shown: shownBy(q, before, decision.sent) } }
  const { answers } = decision?.made ?? before
  return {
    page: await previewPage({
      q,
      settings,
      voice: voiceOf(q, language, answers),
      answers,
      shown: wantedPage(q, authored, form) ?? shownAfter(q, answers, decision),
      values: { ...answers, ...decision?.values },
      isGone: callerGone(ctx),
      action: `${root}edit/preview/`,
      key: keyIn(formValue(form, '_key')) ?? randomKey(),
      carried: {
        _csrf: csrf,
        _structure: text,
        _answers: JSON.stringify(answers),
        _pagepath: decision?.made.change.pagepath ?? before.pagepath ?? '',
        _lang: language,
      },
    }),
  }
}

/** Allows pages of this site to frame the preview. */
function allowOwnFrames({ ctx }: SurveyRequest): void {
  ctx.set('X-Frame-Options', 'SAMEORIGIN')
  setContentSecurityPolicy(ctx, { 'frame-ancestors': ["'self'"] })
}

/** What was answered so far, as far as the structure still asks for it. */
function answersIn(q: Questionnaire, form: FormFields): Answers {
  const kept = formValue(form, '_answers')
  if (kept === undefined) return hiddenOf(q, new URLSearchParams())
  try {
    const raw: unknown = JSON.parse(kept)
    return isRecord(raw) ? readAnswers(q, raw, 'lenient').answers : {}
  } catch {
    return {}
  }
}

interface Sent {
  sent: Submission
  made: Decision
  /** What was typed, to be shown again. */
  values: Readonly<Record<string, unknown>>
}

/** What the page that was sent changes, if one was sent. */
function decisionOf(
  q: Questionnaire,
  before: { answers: Answers; pagepath: string | null },
  form: FormFields,
  language: string,
): Sent | undefined {
  const page = q.pages[Number(formValue(form, '_page')) - 1]
  if (!page) return undefined
  const { raw, clashes } = rawOf(page, form)
  const errors = clashErrors(clashes)
  const sent = { page: page.number, raw, errors, shown: shownOf(form), go: goOf(form), language }
  return { sent, made: decide(q, before, sent), values: { ...form, ...fromForm(q, raw) } }
}

/** The page that was asked for: by number, by the place in the structure where its author is, or the same in another language. */
function wantedPage(q: Questionnaire, authored: unknown, form: FormFields): Shown | undefined {
  const at = formValue(form, '_at')
  const asked =
    formValue(form, '_leaf') ?? (formValue(form, '_language') !== undefined ? formValue(form, '_page') : undefined)
  const number = at !== undefined ? pageAt(authored, Number(at)) : Number(asked)
  return q.pages[number - 1] ? { page: number, errors: [] } : undefined
}

/** The number of the page that an entry of `form` belongs to: questions without a page around them share one. */
function pageAt(authored: unknown, entry: number): number {
  const places = pagePlaces(isRecord(authored) ? authored.form : undefined)
  return places.findLastIndex(({ pointer }) => Number(pointer.split('/')[2]) <= entry) + 1
}

/** Where a page that was sent leads; at first to the first page. */
function shownAfter(q: Questionnaire, answers: Answers, decision: Sent | undefined): Shown {
  if (!decision) return { page: firstPage(q, answers), errors: [] }
  const { made, sent } = decision
  switch (made.next.to) {
    case 'page':
      return { page: made.next.page, errors: [] }
    case 'end':
      return { end: made.next.completed }
    case 'again':
      return { page: sent.page, errors: made.next.errors, again: true }
    default:
      return { page: sent.page, errors: [] }
  }
}
