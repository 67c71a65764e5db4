import { Problem } from '../../../domain/problem.ts'
import { discardDraft, publishDraft } from '../../../domain/survey/drafts.ts'
import { findWorkingCopy, type WorkingCopy } from '../../../domain/survey/working-copy.ts'
import { html } from '../../../lib/html.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { formValue } from '../../forms/form-fields.ts'
import { warningText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { conflictView } from '../structure-editor/conflict-view.ts'
import { confirmationOf } from '../structure-editor/removal-warnings-view.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { describeErrors } from './describe-errors.ts'
import { builderPage } from './show.ts'

/**
 * Publishes the draft. First asks for confirmation if publishing affects stored answers, or if another version was
 * published after the draft was created.
 */
export async function publishPage(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const revision = formValue(form, 'revision')
  const copy = await findWorkingCopy(context, survey.id)
  const { published, draft, changed } = copy
  const { version } = published
  const replaces = formValue(form, 'replaces') === String(version)
  if (changed && draft && draft.baseVersion !== version && !replaces)
    return outdatedPage(request, copy, draft.baseVersion)
  const removals = changed ? await context.services.removalWarnings(context, survey.id, published, copy) : []
  const confirmed = confirmationOf(removals)
  if (removals.length > 0 && formValue(form, 'confirmed') !== confirmed)
    return confirmPage(request, {
      title: t('Publish these changes?'),
      text: html`They affect existing answers. ${removals.map((warning) => html`<br>${warningText(warning)}`)}`,
      button: t('Publish anyway'),
      action: `${root}edit/publish/`,
      fields: { revision: copy.revision, confirmed, ...(replaces && { replaces: String(version) }) },
      cancel: { label: t('Cancel'), path: `${root}edit/` },
    })
  try {
    const saved = await request.write((writing) =>
      publishDraft(writing, survey.id, revision, replaces ? version : undefined),
    )
    request.flash(publishedMessage(request, saved))
    return { redirect: saved.opened ? root : `${root}edit/` }
  } catch (error) {
    const problem = request.toProblem(error)
    if (!(problem instanceof Problem)) throw error
    if (problem.code === 'invalid_structure')
      return builderPage(request, describeErrors(problem.errors, copy.structure))
    if (problem.code !== 'structure_changed') throw error
    return builderPage(request, [
      t('Someone else has changed the survey in the meantime. Check the changes, then publish again.'),
    ])
  }
}

/** Returns sentences that describe the effects of publishing. */
function publishedMessage({ survey, may }: SurveyRequest, saved: Awaited<ReturnType<typeof publishDraft>>): string {
  const { version, changed, opened, warnings } = saved
  const [warning] = warnings
  const hint =
    warnings.length > 1
      ? t(' {warnings}: see the JSON tab.', { warnings: pluralize(warnings.length, 'warning') })
      : warning
        ? ` ${t('Warning: {text}', { text: warningText(warning) })}`
        : ''
  if (opened) return t('Published. The survey is open: share its link.{hint}', { hint })
  if (!changed) return t('No changes to publish. Respondents see version {version}.', { version })
  const closed = may('Publish')
    ? t(' The survey is closed: open it on the overview.')
    : t(' The survey is closed. You need the Publish role to open it.')
  return t('Version {version} published.{value}{hint}', { version, value: survey.live ? '' : closed, hint })
}

/**
 * Shows the differences between the draft and the version that someone else published meanwhile. A button publishes the
 * draft in place of that version.
 */
async function outdatedPage(request: SurveyRequest, copy: WorkingCopy, from: number): Promise<PageResult> {
  const { version } = copy.published
  const page = confirmPage(request, {
    title: t('Replace version {version}?', { version }),
    text: t('Publishing your draft replaces version {version}. That version stays in the list of versions.', {
      version,
    }),
    button: t('Publish my draft'),
    action: `${request.root}edit/publish/`,
    fields: { revision: copy.revision, replaces: String(version) },
    cancel: { label: t('Cancel'), path: `${request.root}edit/` },
    beforeHeading: await conflictView(request, copy, from, copy.structure, false),
  })
  return { ...page, status: 409 }
}

/** Asks for confirmation before the draft is deleted. */
export const confirmDiscardDraft = async (request: SurveyRequest): Promise<PageResult> =>
  confirmPage(request, {
    title: t('Discard unpublished changes?'),
    beforeHeading: backLink(`${request.root}edit/`, t('All questions')),
    text: t(
      'This deletes all changes since the last published version. If the survey has not been published yet, it deletes all changes since the survey was created. You cannot undo this.',
    ),
    button: t('Discard changes'),
    action: `${request.root}edit/discard/`,
    cancel: { label: t('Cancel'), path: `${request.root}edit/` },
  })

/** Deletes the draft. */
export async function discardDraftPage(request: SurveyRequest): Promise<PageResult> {
  await request.write((writing) => discardDraft(writing, request.survey.id))
  request.flash(t('Unpublished changes discarded.'))
  return { redirect: `${request.root}edit/` }
}
