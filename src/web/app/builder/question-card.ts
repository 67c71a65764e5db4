import { filtersOf } from '../../../domain/structure/choice-attributes.ts'
import { settingOf } from '../../../domain/structure/setting.ts'
import type { Structure, StructureItem, StructureQuestion } from '../../../domain/structure/structure.ts'
import type { OpenThreads } from '../../../domain/survey/comments.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { filteredKinds, kindOf } from '../../../questions/index.ts'
import { csrfField } from '../../csrf.ts'
import { formatList } from '../../i18n/i18n.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { icon, pathWith } from '../../layout/parts.ts'
import { kindNameOf } from '../../questions/index.ts'
import { sketch } from '../../questions/sketches.ts'
import { commentsPath } from './comments.ts'
import { conditionSummary, nameInRule } from './condition-summary.ts'
import { copyPath } from './copy.ts'
import { saveToLibraryPath } from './library.ts'
import { anyText, cardId, cardTitle, choicesOf, nameOfPage, withLabels } from './texts.ts'
import { filterPath } from './window.ts'

/** What the cards of questions show and need. */
export interface CardContext {
  root: string
  csrf: string
  structure: Structure
  /** The code of the survey's default language. */
  code: string
  editable: boolean
  /** The path of the builder with the cards that this page shows. */
  path: string
  /** The numbers of open threads of comments. */
  threads: OpenThreads
}

/** Maximum number of choices that a card shows. */
const MAX_SHOWN_CHOICES = 6

/**
 * Maximum number of pages for which each card lists all pages to which its question can be moved. If there are more
 * pages, authors enter the number of the page.
 */
const MAX_LISTED_PAGES = 20

/** The position of a question in the survey. */
interface CardPosition {
  /** Position of the page that contains the question, from 0. */
  page: number
  /**
   * Number of the question, counted from 1 over all pages; undefined for a question that accepts no answer, such as a
   * heading.
   */
  number: number | undefined
  isFirst: boolean
  isLast: boolean
}

/**
 * Renders a question as a card with buttons. A question of an unknown type can be moved and deleted, but not edited.
 */
export function questionCard(builder: CardContext, question: StructureQuestion, position: CardPosition): Html {
  const { code, editable, root, structure } = builder
  const name = kindNameOf(question.idname)
  const title = cardTitle(question, structure, code)
  const number = position.number !== undefined && html`<span class="number">${position.number}</span>`
  const heading =
    editable && name
      ? html`<a href="${pathWith(`${root}edit/question/`, { id: question.id })}" data-edit>${title}</a>`
      : title
  return html`<li class="card question-card" id="${cardId(question.id)}" data-question="${question.id}" tabindex="-1">
    <div class="question-head">
      ${editable && html`<span class="drag" aria-hidden="true">⠿</span>`}
      ${number}
      <div>
        <h3>${heading}</h3>
        <p class="facts">
          ${factsOf(builder, question, name?.label ?? t('Other type ({idname})', { idname: question.idname }))}
        </p>
      </div>
    </div>
    ${summaryOf(question, structure, code)}
    ${
      !name &&
      html`<p class="soft">
        The builder cannot show this question. Edit it in the <a href="${root}edit/json/">JSON editor</a>.
      </p>`
    }
    ${editable && actionsOf(builder, question, position, title, name !== undefined)}
  </li>`
}

function factsOf({ structure, code, root, threads }: CardContext, question: StructureQuestion, kind: string): Part {
  const facts: Part[] = [html`<span class="kind">${sketch(question.idname)}${kind}</span>`]
  if (settingOf(question, 'required') === true) facts.push(html`<span>Required</span>`)
  if (settingOf(question, 'randomize') === true) facts.push(html`<span>Random order</span>`)
  if (question.condition)
    facts.push(html`<span>Shown if ${conditionSummary(question.condition, structure, code)}</span>`)
  const filters = filtersOf(question)
  if (filters.length > 0) {
    const questions = formatList(filters.map((filter) => nameInRule(filter, structure, code)))
    facts.push(html`<span>${t('Choices depend on {questions}', { questions })}</span>`)
  }
  facts.push(openComments(commentsPath(root, { question: question.id }), threads.byQuestion.get(question.id)))
  return facts
}

/** Renders the number of open threads as a link to them. */
export const openComments = (path: string, count: number | undefined): Part =>
  count !== undefined && html`<a href="${path}">${pluralize(count, 'comment')}</a>`

function summaryOf(question: StructureQuestion, structure: Structure, code: string): Part {
  const description = withLabels(anyText(question.description, code), structure, code)
  const isGrid = question.idname.endsWith('-grid')
  return html`
    ${description && html`<p class="soft description">${description}</p>`}
    ${isGrid && itemsOf(question.children, code)}
    ${itemsOf(choicesOf(question), code)}`
}

function itemsOf(items: readonly StructureItem[], code: string): Part {
  if (items.length === 0) return null
  const shown = items.slice(0, MAX_SHOWN_CHOICES)
  const more = items.length - shown.length
  return html`<ul class="choices">
    ${shown.map(({ label }) => html`<li>${anyText(label, code) || t('(no label)')}</li>`)}
    ${more > 0 && html`<li class="soft">and ${pluralize(more, 'more', 'more')}</li>`}
  </ul>`
}

function actionsOf(
  { root, path, csrf, structure, code }: CardContext,
  { id, idname }: StructureQuestion,
  { page, isFirst, isLast }: CardPosition,
  title: string,
  isKnown: boolean,
): Html {
  const of = html`<span class="hidden"> ${t('“{title}”', { title })}</span>`
  const button = (action: string, label: string, disabled = false) =>
    html`<button class="quiet small" name="do" value="${action}"${disabled && html` disabled`}>${label}${of}</button>`
  const arrow = (action: 'up' | 'down', label: string, disabled: boolean) =>
    html`<button class="quiet small arrow" name="do" value="${action}" title="${label}"${disabled && html` disabled`}>
      ${icon(action)}
      <span class="hidden">${label}${of}</span>
    </button>`
  const pages = structure.form.length
  const isFiltered = filteredKinds.has(kindOf(idname))
  return html`<form method="post" action="${path}" class="card-actions">
    ${csrfField(csrf)}
    <input type="hidden" name="question" value="${id}">
    ${
      isKnown &&
      html`<a class="button quiet small arrow" href="${pathWith(`${root}edit/question/`, { id })}" title="${t('Edit')}"
          data-edit>${icon('edit')}<span class="hidden">Edit${of}</span></a>`
    }
    ${arrow('up', t('Move up'), isFirst)}
    ${arrow('down', t('Move down'), isLast)}
    <details class="more">
      <summary class="button quiet small" title="${t('More')}">
        ${icon('more')}<span class="hidden">More actions for “${title}”</span>
      </summary>
      <div class="more-actions">
        ${
          isKnown &&
          html`<a class="button quiet small" href="${pathWith(`${root}edit/condition/`, { id })}">Show if…${of}</a>`
        }
        ${isFiltered && html`<a class="button quiet small" href="${filterPath(root, id)}">Show choices if…${of}</a>`}
        <a class="button quiet small" href="${commentsPath(root, { question: id })}">Comment…${of}</a>
        ${button('duplicate', t('Duplicate'))}
        <a class="button quiet small" href="${copyPath(root, { question: id })}">Copy to another survey…${of}</a>
        <a class="button quiet small" href="${saveToLibraryPath(root, id)}">Save to library…${of}</a>
        ${button('delete', t('Delete'))}
        ${
          pages > 1 &&
          html`<div class="move-to">
            <label for="to-${cardId(id)}">Move to<span class="hidden"> page: “${title}”</span></label>
            ${
              pages <= MAX_LISTED_PAGES
                ? html`<select class="box" id="to-${cardId(id)}" name="to">
                  ${structure.form.map(
                    (other, index) =>
                      html`<option value="${index}"${index === page && html` selected`}>
                        ${nameOfPage(other, index, code)}
                      </option>`,
                  )}
                </select>`
                : html`
                  <input class="box short" type="number" id="to-${cardId(id)}" name="to-page" min="1" max="${pages}"
                      value="${page + 1}">`
            }
            ${button('move', t('Move'))}
          </div>`
        }
      </div>
    </details>
  </form>`
}
