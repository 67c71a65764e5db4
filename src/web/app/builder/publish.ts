import { Problem } from '../../../domain/problem.ts'
import { type PublishingCheck, stopsPublishing } from '../../../domain/structure/publishing/findings.ts'
import type { Structure, StructureQuestion, StructureWarning } from '../../../domain/structure/structure.ts'
import { checkBeforePublishing, discardDraft, publishDraft } from '../../../domain/survey/drafts.ts'
import { findWorkingCopy, type WorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { problemText, warningText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { backLink, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { confirmationOf, conflictView } from '../structure-editor/conflict-view.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { describeErrors } from './describe-errors.ts'
import { editMenu } from './menu.ts'
import { quotasOf } from './quota-form.ts'
import { builderPage } from './show.ts'
import { cardTitle, defaultCode, nameOfPage } from './texts.ts'
import { cardAddress, pageAddress } from './window.ts'

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
  const findings = request.may('Edit') && (changed || survey.unpublished) ? await newFindings(request, copy) : []
  if (findings.some(stopsPublishing)) return unfinishedPage(request, copy, findings)
  const removals = changed ? await context.services.removalWarnings(context, survey.id, published, copy) : []
  const confirmed = confirmationOf([...removals, ...findings])
  if (removals.length + findings.length > 0 && formValue(form, 'confirmed') !== confirmed)
    return confirmPage(request, {
      title: removals.length > 0 ? t('Publish these changes?') : t('Publish this survey as it is?'),
      text:
        removals.length > 0
          ? html`They affect existing answers. ${removals.map((warning) => html`<br>${warningText(warning)}`)}`
          : t('Something is unfinished or probably wrong:'),
      details: findings.length > 0 && listOf({ root, structure: copy.structure }, findings),
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
    if (problem.code === 'approval_required') return builderPage(request, [problemText(problem)])
    if (problem.code !== 'structure_changed') throw error
    return builderPage(request, [
      t('Someone else has changed the survey in the meantime. Check the changes, then publish again.'),
    ])
  }
}

/**
 * Returns the findings of the check that stop publishing and, unless an author has published the survey with them
 * before, the others.
 */
async function newFindings({ context, survey }: SurveyRequest, copy: WorkingCopy): Promise<StructureWarning[]> {
  const { published } = copy
  const { findings } = await checkBeforePublishing(context, survey.id, copy, published)
  if (survey.unpublished || findings.length === 0) return findings
  const before = await checkBeforePublishing(context, survey.id, published, published)
  const known = new Set(before.findings.map((finding) => nameOfFinding(finding, published.structure)))
  return findings.filter((finding) => stopsPublishing(finding) || !known.has(nameOfFinding(finding, copy.structure)))
}

/** Returns a text that identifies a finding, also after its question has been moved. */
function nameOfFinding({ code, pointer, values }: StructureWarning, { form }: Structure): string {
  const [, page, position, rest] = /^\/form\/(\d+)\/children\/(\d+)(.*)$/.exec(pointer) ?? []
  const question = form[Number(page)]?.children[Number(position)]
  return JSON.stringify([code, question?.id ?? pointer, rest, values])
}

/** Shows the findings of a draft that cannot be published. */
const unfinishedPage = (
  request: SurveyRequest,
  { structure }: WorkingCopy,
  findings: StructureWarning[],
): PageResult => ({
  ...request.render({
    title: t('The survey is not finished'),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(`${request.root}edit/`, t('All questions')),
    content: html`
      ${alert(t('Nothing was published.'))}
      ${findingsView({ root: request.root, structure }, { findings, total: findings.length })}`,
  }),
  status: 409,
})

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

/** Lists what is unfinished or probably wrong in the draft. */
export async function showCheck(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, root } = request
  const copy = await findWorkingCopy(context, survey.id)
  const check = await checkBeforePublishing(context, survey.id, copy, copy.published)
  return request.render({
    title: t('Check'),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(`${root}edit/`, t('All questions')),
    content:
      check.total === 0
        ? html`<section class="card"><p>Nothing is unfinished. Every page and question can be reached.</p></section>`
        : findingsView({ root, structure: copy.structure }, check),
  })
}

/** The structure that was checked, and the address of its survey. */
interface Checked {
  root: string
  structure: Structure
}

/** Renders the findings of a check: those that stop publishing, then the others, each with a link to its place. */
function findingsView(checked: Checked, { findings, total }: PublishingCheck): Html {
  const stopping = findings.filter(stopsPublishing)
  const others = findings.filter((finding) => !stopsPublishing(finding))
  return html`
    ${
      stopping.length > 0 &&
      html`<section class="card findings" aria-labelledby="stopping">
        <h2 id="stopping">Fix before you publish</h2>
        ${listOf(checked, stopping)}
      </section>`
    }
    ${
      others.length > 0 &&
      html`<section class="card findings" aria-labelledby="others">
        <h2 id="others">Check before you publish</h2>
        ${stopping.length === 0 && html`<p class="soft">You can publish the survey as it is.</p>`}
        ${listOf(checked, others)}
      </section>`
    }
    ${total > findings.length && html`<p class="soft">and ${pluralize(total - findings.length, 'more', 'more')}</p>`}`
}

/** Renders findings, with the translations that are missing behind one line for each language. */
export function listOf(checked: Checked, findings: readonly StructureWarning[]): Html {
  const untranslated = Map.groupBy(
    findings.filter(({ code }) => code === 'untranslated_text'),
    ({ values }) => String(values.language),
  )
  const others = findings.filter(({ code }) => code !== 'untranslated_text')
  return html`<ul class="finding-list">
    ${others.map((finding) => html`<li>${placeOf(checked, finding)}${warningText(finding)}</li>`)}
    ${[...untranslated].map(
      ([language, texts]) =>
        html`<li>
          <details>
            <summary>
              ${t('Not translated into {language}: {texts}', { language, texts: pluralize(texts.length, 'text') })}
            </summary>
            <ul>${texts.map((finding) => html`<li>${placeOf(checked, finding)}“${finding.values.name}”</li>`)}</ul>
          </details>
          ${translateLink(checked, language)}
        </li>`,
    )}
  </ul>`
}

function translateLink({ root, structure }: Checked, name: string): Part {
  const language = structure.languages.find((one) => one.name.trim().startsWith(name))
  return (
    language &&
    html`<p><a href="${pathWith(`${root}edit/languages/translate/`, { to: language.code })}">Translate</a></p>`
  )
}

/** Renders the name of the place of a finding as a link to the page on which the author can change it. */
function placeOf(checked: Checked, { pointer, code }: StructureWarning): Part {
  const { root, structure } = checked
  const [, member, index = '', inner, position = ''] = pointer.split('/')
  const language = defaultCode(structure)
  const link = (path: string, label: string) => html`<a href="${path}">${label}</a>: `
  if (member === 'languages')
    return link(`${root}edit/languages/`, structure.languages[Number(index)]?.name ?? t('Languages'))
  if (member === 'quotas') {
    const quota = quotasOf(structure)[Number(index)]
    return link(`${root}edit/quotas/`, t('Quota “{value}”', { value: quota?.name ?? '' }))
  }
  if (member === 'title' || member === 'description') return link(`${root}edit/survey/`, t('Title and description'))
  const page = member === 'form' ? structure.form[Number(index)] : undefined
  if (!page) return code === 'no_questions' ? null : link(`${root}edit/json/`, t('JSON'))
  const question = inner === 'children' ? page.children[Number(position)] : undefined
  if (question) return link(addressOf(checked, question), cardTitle(question, structure, language))
  const path =
    inner === 'skip' ? pathWith(`${root}edit/skips/`, { page: index }) : pageAddress(root, structure, Number(index))
  return link(path, nameOfPage(page, Number(index), language))
}

const addressOf = ({ root, structure }: Checked, { id }: StructureQuestion): string => cardAddress(root, structure, id)
