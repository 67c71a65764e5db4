import { hasAnswerableQuestion } from '../../../domain/structure/publishing/texts.ts'
import type { Structure, StructurePage, StructureQuestion } from '../../../domain/structure/structure.ts'
import { arrayOf } from '../../../domain/structure/walk.ts'
import { countOpenThreads } from '../../../domain/survey/comments.ts'
import { needsApproval } from '../../../domain/survey/reviews.ts'
import { type Draft, findWorkingCopy, revisionOf, type WorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { kindOf, typeOf } from '../../../questions/index.ts'
import { csrfField } from '../../csrf.ts'
import { alert } from '../../forms/field.ts'
import { restoredText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { pluralize, timeTag } from '../../layout/format.ts'
import { icon, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { kindGroups } from '../../questions/index.ts'
import { sketchSprite } from '../../questions/sketches.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { commentsPath } from './comments.ts'
import { conditionSummary } from './condition-summary.ts'
import { copyPath } from './copy.ts'
import { libraryPath } from './library.ts'
import { editMenu } from './menu.ts'
import { type CardContext, openComments, questionCard } from './question-card.ts'
import { skipSummaries } from './skip-target.ts'
import { anyText, defaultCode, nameOfPage, shortNameOfPage, titleOfQuestion } from './texts.ts'
import { builderPath, type CardWindow, pageAddress, windowIn, windowPath } from './window.ts'

/** The data that the functions of the builder page render. */
interface Builder extends CardContext {
  copy: WorkingCopy
  /** The cards that are shown of a large survey; undefined if the survey is shown as a whole. */
  window: CardWindow | undefined
  /** Whether the draft must be approved before it can be published. */
  needsApproval: boolean
  /** Whether the survey has never been open. If this is true, publishing the draft also opens the survey. */
  unpublished: boolean
}

/**
 * Shows the pages and questions of a survey as cards. The cards are read-only for users with only the Test role. With
 * `?part=draft`, leaves out the cards. The script loads this shorter page after each save to update the state of the
 * draft. Of a large survey, shows the cards of one page, and links to the other pages.
 */
export const showBuilder = (request: SurveyRequest): Promise<PageResult> => builderPage(request)

/**
 * Renders the builder.
 * @param errors the errors of an operation that was not applied
 */
export async function builderPage(request: SurveyRequest, errors: readonly string[] = []): Promise<PageResult> {
  const { context, survey, root, csrf, may } = request
  const copy = await findWorkingCopy(context, survey.id)
  const { structure } = copy
  const onlyDraft = request.query.get('part') === 'draft'
  const window = windowIn(structure, request.query)
  const builder: Builder = {
    root,
    path: windowPath(root, window),
    window,
    csrf,
    copy,
    structure,
    code: defaultCode(structure),
    editable: may('Edit'),
    needsApproval: await needsApproval(context, survey.id, structure),
    threads: await countOpenThreads(context, survey.id, structure),
    unpublished: survey.unpublished,
  }
  return request.render(
    {
      title: t('Questions'),
      side: editMenu(request, 'questions'),
      scripts: ['builder.js'],
      content: html`<div class="workbench builder">
        ${sketchSprite()}
        <div id="builder">${errorsOf(errors)}${draftBar(builder)}${!onlyDraft && cardsOf(builder)}</div>
        <section class="card preview" aria-labelledby="preview-title">
          <h2 id="preview-title">Preview</h2>
          <iframe name="preview" title="Survey preview" src="${root}edit/preview/"></iframe>
        </section>
      </div>`,
    },
    errors.length > 0 ? 409 : 200,
  )
}

const cardsOf = (builder: Builder): Html =>
  html`
    ${surveyCard(builder)}
    <ol class="builder-pages">${pagesOf(builder)}</ol>
    ${addPageForm(builder)}
    <p class="soft"><a href="/docs/guides/builder/">How to use the builder</a></p>`

const errorsOf = (errors: readonly string[]): Part =>
  errors.length > 0 &&
  alert(html`<strong>Nothing was changed.</strong> ${errors.map((error) => html`<span>${error} </span>`)}`)

function surveyCard({ root, structure, code, editable, threads }: Builder): Html {
  const description = anyText(structure.description, code)
  const quotas = arrayOf(structure.quotas).length
  const languages = structure.languages.map(({ name }) => name).join(', ')
  return html`<section class="card survey-card" aria-labelledby="survey-title">
    <h2 id="survey-title">${anyText(structure.title, code)}</h2>
    ${description && html`<p class="description">${description}</p>`}
    <p class="facts"><span>${languages}</span>${quotas > 0 && html`<span>${pluralize(quotas, 'quota')}</span>`}</p>
    <p class="card-actions">
      ${
        editable &&
        html`<a class="button plain small" href="${root}edit/survey/" data-edit>Edit title and description</a>`
      }
      <a class="button quiet small" href="${commentsPath(root)}">${
        threads.total > 0 ? pluralize(threads.total, 'comment') : t('Comments')
      }</a>
    </p>
  </section>`
}

function pagesOf(builder: Builder): Part {
  const { structure, code, window } = builder
  let number = 0
  const last = structure.form.length - 1
  return structure.form.map((page, index) => {
    if (window && window.page !== index) {
      number += page.children.filter(isAnswered).length
      return closedPage(builder, index)
    }
    const [from, to] = window ? [window.from, window.to] : [0, page.children.length]
    number += page.children.slice(0, from).filter(isAnswered).length
    const cards = page.children.slice(from, to).map((question, offset) =>
      questionCard(builder, question, {
        page: index,
        number: isAnswered(question) ? ++number : undefined,
        isFirst: index === 0 && from + offset === 0,
        isLast: index === last && from + offset === page.children.length - 1,
      }),
    )
    const description = anyText(page.description, code)
    return html`<li class="builder-page" id="page-${index + 1}" tabindex="-1">
      <div class="page-head">
        ${builder.editable && html`<span class="drag" aria-hidden="true">⠿</span>`}
        <h2>${nameOfPage(page, index, code)}</h2>
        ${builder.editable && pageActions(builder, index)}
      </div>
      ${description && html`<p class="soft description">${description}</p>`}
      ${
        page.condition !== undefined &&
        html`<p class="facts"><span>Shown if ${conditionSummary(page.condition, structure, code)}</span></p>`
      }
      ${page.randomBlock !== undefined && html`<p class="facts"><span>Random order: ${page.randomBlock}</span></p>`}
      ${loopFact(builder, page)}
      ${skipFacts(builder, index)}
      ${pageComments(builder, index)}
      ${windowLink(builder, index, 'before')}
      <ol class="questions" data-page="${index}" data-from="${from}">${cards}</ol>
      ${windowLink(builder, index, 'after')}
      ${cards.length === 0 && html`<p class="soft empty">No questions on this page yet.</p>`}
      ${builder.editable && addQuestionForm(builder, index)}
    </li>`
  })
}

const isAnswered = ({ idname }: StructureQuestion): boolean => Boolean(typeOf(kindOf(idname))?.fieldType)

/** Renders a page of a large survey whose cards are not shown. Its name is a link to them. */
function closedPage({ root, structure, code, editable }: Builder, index: number): Html {
  const page = structure.form[index]!
  return html`<li class="builder-page closed" id="page-${index + 1}" tabindex="-1">
    <div class="page-head">
      ${editable && html`<span class="drag" aria-hidden="true">⠿</span>`}
      <h2><a href="${pageAddress(root, structure, index)}" data-window>${shortNameOfPage(page, index, code)}</a></h2>
      <span class="soft">${pluralize(page.children.length, 'question')}</span>
    </div>
  </li>`
}

/** Renders the link to the questions of an open page before or after those that are shown. */
function windowLink({ root, structure, window }: Builder, index: number, side: 'before' | 'after'): Part {
  if (!window) return null
  const { from, to } = window
  const count = side === 'before' ? from : structure.form[index]!.children.length - to
  if (count === 0) return null
  const path = builderPath(root, structure, index, side === 'before' ? from - 1 : to)
  return html`<p class="facts"><a href="${path}" data-window>${
    side === 'before'
      ? t('Show {questions} before', { questions: pluralize(count, 'question') })
      : t('Show {questions} after', { questions: pluralize(count, 'question') })
  }</a></p>`
}

function loopFact({ structure, code }: Builder, { loop }: StructurePage): Part {
  if (!loop) return null
  const questions = structure.form.flatMap(({ children }) => children)
  const source = questions.find(({ id }) => id === loop) ?? questions.find(({ identifier }) => identifier === loop)
  const question = source ? titleOfQuestion(source, code) : loop
  return html`<p class="facts"><span>${t('Repeated for each choice of “{question}”', { question })}</span></p>`
}

function pageComments({ root, threads }: Builder, index: number): Part {
  const link = openComments(commentsPath(root, { page: index + 1 }), threads.byPage.get(index))
  return link && html`<p class="facts">${link}</p>`
}

/** Maximum number of skips of a page that the builder shows as text. */
const MAX_SHOWN_SKIPS = 20

/** Renders where respondents go after a page. */
function skipFacts({ structure, code }: Builder, index: number): Part {
  const skips = arrayOf(structure.form[index]?.skip).length
  const texts = skipSummaries(structure, index, code, MAX_SHOWN_SKIPS)
  return html`${texts.map((text) => html`<p class="facts"><span>After this page: ${text}</span></p>`)}${
    skips > texts.length && html`<p class="facts">and ${pluralize(skips - texts.length, 'more', 'more')}</p>`
  }`
}

/**
 * Returns a digest of the pages of a structure. The digest changes if pages are added, removed, moved or edited, or if
 * questions are added to a page, removed from it or moved.
 */
export const pagesRevision = ({ form }: Structure): string =>
  revisionOf(form.map(({ children, ...page }) => [page, children.map(({ id }) => id)]))

function pageActions({ root, path, csrf, structure, code }: Builder, index: number): Html {
  const of = html`<span class="hidden"> ${nameOfPage(structure.form[index]!, index, code)}</span>`
  const button = (action: string, label: string, disabled = false) =>
    html`<button class="quiet small" name="do" value="${action}"${disabled && html` disabled`}>${label}${of}</button>`
  return html`<form method="post" action="${path}" class="card-actions">
    ${csrfField(csrf)}
    <input type="hidden" name="page" value="${index}">
    <input type="hidden" name="seen" value="${pagesRevision(structure)}">
    <a class="button quiet small" href="${pathWith(`${root}edit/page/`, { page: String(index) })}" data-edit>
      Edit${of}
    </a>
    <details class="more">
      <summary class="button quiet small" title="${t('More')}">
        ${icon('more')}<span class="hidden">More actions for ${nameOfPage(structure.form[index]!, index, code)}</span>
      </summary>
      <div class="more-actions">
        ${
          index > 0 &&
          html`<a class="button quiet small" href="${pathWith(`${root}edit/condition/`, { page: String(index) })}">
            Show if…${of}
          </a>`
        }
        <a class="button quiet small" href="${pathWith(`${root}edit/skips/`, { page: String(index) })}">Skips${of}</a>
        <a class="button quiet small" href="${commentsPath(root, { page: index + 1 })}">Comment…${of}</a>
        <a class="button quiet small" href="${copyPath(root, { page: index + 1 })}">Copy to another survey…${of}</a>
        ${button('page-up', t('Move up'), index === 0)}
        ${button('page-down', t('Move down'), index === structure.form.length - 1)}
        ${button('delete-page', t('Delete'))}
      </div>
    </details>
  </form>`
}

function addQuestionForm({ csrf, path, root }: Builder, page: number): Html {
  return html`<form method="post" action="${path}" class="add-question">
    ${csrfField(csrf)}
    <input type="hidden" name="page" value="${page}">
    <label for="kind-${page}">Add a question<span class="hidden"> to page ${page + 1}</span></label>
    <div class="add-row">
      <select class="box" id="kind-${page}" name="kind">
        ${kindGroups().map(
          (group) =>
            html`<optgroup label="${group.title}">${group.kinds.map(
              ({ kind, label, hint, words }) =>
                html`<option value="${kind}" data-hint="${hint}" data-words="${words}">${label}</option>`,
            )}</optgroup>`,
        )}
      </select>
      <button class="small" name="do" value="add">Add question<span class="hidden"> to page ${page + 1}</span></button>
      <a class="button quiet small" href="${libraryPath(root, page + 1)}">
        From the library<span class="hidden"> to page ${page + 1}</span>
      </a>
    </div>
  </form>`
}

function addPageForm(builder: Builder): Part {
  const { path, csrf, structure, editable } = builder
  if (!editable) return null
  const isEmpty = structure.form.length === 0
  return html`
    ${
      isEmpty &&
      html`<section class="card empty-survey">
        <h2>Add your first question</h2>
        <p class="soft">Choose a type. You can change the wording next.</p>
        ${addQuestionForm(builder, 0)}
      </section>`
    }
    ${
      !isEmpty &&
      html`<form method="post" action="${path}" class="add-page">
        ${csrfField(csrf)}
        <button class="small" name="do" value="add-page">Add a page</button>
      </form>`
    }`
}

/** Renders the state of the draft, with buttons to undo, redo, discard and publish it. */
function draftBar(builder: Builder): Html {
  const { copy, root, path, csrf, editable, unpublished, needsApproval: waits } = builder
  const { draft, changed } = copy
  // A survey without questions is never published.
  const isPublishable = hasAnswerableQuestion(copy.structure) && (unpublished || changed)
  return html`<section class="card draft-bar" aria-label="Draft">
    <div class="draft-state" role="status" id="draft-state">
      ${stateOf(builder)} <a href="${root}edit/review/">${waits ? t('Needs an approval') : t('Review')}</a>
    </div>
    ${
      editable &&
      html`<div class="card-actions">
        <form method="post" action="${path}">
          ${csrfField(csrf)}
          <button class="quiet small" name="do" value="undo"${draft?.undo === undefined && html` disabled`}>
            Undo${draft?.undo !== undefined && html`<span class="hidden">: ${restoredText(draft.undo)}</span>`}
          </button>
          <button class="quiet small" name="do" value="redo"${draft?.redo === undefined && html` disabled`}>
            Redo${draft?.redo !== undefined && html`<span class="hidden">: ${restoredText(draft.redo)}</span>`}
          </button>
        </form>
        ${changed && html`<a class="button quiet small" href="${root}edit/discard/">Discard…</a>`}
        <a class="button quiet small" href="${root}edit/check/">Check</a>
        <a class="button quiet small" href="${root}edit/rehearsal/">Rehearse</a>
        <a class="button quiet small" href="${root}edit/preview-links/">Share preview</a>
        ${publishForm(builder, copy, isPublishable && !waits, unpublished)}
      </div>`
    }
  </section>`
}

/** Renders the button that publishes the draft. Publishing a survey for the first time also opens it. */
const publishForm = (
  { root, csrf }: { root: string; csrf: string },
  { revision }: WorkingCopy,
  isPossible: boolean,
  unpublished: boolean,
): Html =>
  html`<form method="post" action="${root}edit/publish/">
    ${csrfField(csrf)}
    <input type="hidden" name="revision" value="${revision}">
    <button class="primary small"${!isPossible && html` disabled`}>
      ${unpublished ? t('Publish and open') : t('Publish')}
    </button>
  </form>`

/** Renders the button that publishes a survey for the first time, for other pages of the editor. */
export async function firstPublication(request: SurveyRequest): Promise<Part> {
  const { context, survey } = request
  if (!survey.unpublished) return null
  const copy = await findWorkingCopy(context, survey.id)
  const isPossible = hasAnswerableQuestion(copy.structure) && !(await needsApproval(context, survey.id, copy.structure))
  return isPossible && publishForm(request, copy, true, true)
}

const savedBy = (draft: Draft | undefined): Part =>
  draft?.author !== undefined && html` Last saved by ${draft.author}, ${timeTag(draft.updatedAt)}.`

function stateOf({ unpublished, copy: { draft, changed, published } }: Builder): Part {
  if (unpublished)
    return html`
      <strong>Not published yet.</strong> <span class="soft">
        Respondents cannot take this survey.${savedBy(draft)}
      </span>`
  if (!changed || !draft)
    return html`<strong>All changes are published.</strong> <span class="soft">Version ${published.version}.</span>`
  const outdated = draft.baseVersion !== published.version
  return html`
    <strong>Unpublished changes.</strong> <span class="soft">
      Respondents see version ${published.version}.${savedBy(draft)}
    </span>
    ${
      outdated &&
      html`<p class="warning">
        These changes are based on version ${draft.baseVersion}. Version ${published.version} has been published since.
      </p>`
    }`
}
