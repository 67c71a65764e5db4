import type { Choice, Field } from '../../domain/structure/questionnaire.ts'
import { shuffle } from '../../domain/structure/randomize.ts'
import { type Html, html, type Part, trusted } from '../../lib/html.ts'
import { NO_ANSWER } from './choice-list.ts'
import type { RenderContext, RenderQuestion } from './question-view.ts'
import { describedBy, descriptionOf, errorView, formValueOf, textOf, titleOf } from './render-context.ts'

const rowsOf = ({ question, seed }: RenderContext): readonly Field[] =>
  question.randomize ? shuffle(question.fields, `${seed}${question.id}`) : question.fields

/**
 * Renders the title of a row. If the row is required but the question as a whole is not, the title is marked as
 * required.
 */
const rowTitle = (context: RenderContext, { row, required }: Field): Part => [
  context.i18n.surveyText(row?.label),
  required &&
    !context.question.required &&
    html` <span class="required">${context.i18n.text(context.i18n.texts.required)}</span>`,
]

/** Renders a question with rows as a fieldset whose legend is the title of the question. */
export const frame = (context: RenderContext, content: Html): Html =>
  html`<fieldset class="group" id="${context.idOf(context.question.id)}" tabindex="-1">
    <legend class="question-label">${titleOf(context)}</legend>
    ${descriptionOf(context)}
    ${content}
  </fieldset>`

/**
 * Renders a grid of choices. The grid is a table on wide screens, and has a card for each row on phones. Because of
 * explicit ARIA roles, assistive technology treats both layouts as a table.
 */
export const choiceGrid = (context: RenderContext, type: 'radio' | 'checkbox'): Html => {
  const { idOf } = context
  const columns = columnsOf(context, type)
  const clears = type === 'radio' && context.question.fields.some(({ required }) => !required)
  const noAnswer = context.i18n.text(context.i18n.texts.noAnswer)
  return frame(
    context,
    html`<table class="grid" role="table">
      <thead role="rowgroup">
        <tr role="row">
          <td role="cell"></td>
          ${columns.map(({ label }) => html`<th role="columnheader" scope="col">${label}</th>`)}
          ${clears && html`<th role="columnheader" scope="col" class="none">${noAnswer}</th>`}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rowsOf(context).map((field) => {
          const id = idOf(field.key)
          const state = html`${type === 'radio' && field.required && html` required`}${describedBy(context, field.key)}`
          return html`<tr role="row" id="${id}" tabindex="-1">
            <th role="rowheader" scope="row">
              <span id="${id}-t">${rowTitle(context, field)}</span>
              ${errorView(context, field.key)}
            </th>
            ${cells(context, field, id, columns, state)}
            ${clears && clearCell(field, id)}
          </tr>`
        })}
      </tbody>
    </table>`,
  )

  /** Renders the cell that clears the answer of a row; empty if the row is required. */
  function clearCell({ storedKey, required }: Field, id: string): Html {
    const cell = `${id}-none`
    return html`<td role="cell" class="none">
      ${
        !required &&
        html`
          <input type="radio" id="${cell}" name="${storedKey}" value="${NO_ANSWER}" aria-labelledby="${id}-t ${cell}-l">
          <label for="${cell}" id="${cell}-l">${noAnswer}</label>`
      }
    </td>`
  }

  /**
   * Renders the cells of a row. A page can have 20,000 cells, so everything that does not depend on the row is rendered
   * once for each column, and the cells are joined as strings.
   */
  function cells({ values }: RenderContext, field: Field, id: string, columns: readonly Column[], state: Html): Html {
    const name = html`type="${type}" name="${field.storedKey}"`
    const selected = new Set([values[field.key]].flat().map(String))
    return trusted(
      columns
        .map(({ key, index, uid, label, attributes }) => {
          const cell = `${id}-${index}`
          const labels = `aria-labelledby="${id}-t ${cell}-l"`
          const checked = selected.has(key) ? ' checked' : ''
          const input = `<input ${name} id="${cell}" value="${uid}" ${labels}${checked}${attributes}${state}>`
          return `<td role="cell">${input}<label for="${cell}" id="${cell}-l">${label}</label></td>`
        })
        .join(''),
    )
  }
}

/** The parts of the cells of a column that do not depend on the row, as markup. */
interface Column extends Pick<Choice, 'index' | 'uid'> {
  /** The index as text, as a form may contain it. */
  key: string
  label: Html
  attributes: string
}

const columnsOf = ({ question, i18n }: RenderContext, type: 'radio' | 'checkbox'): Column[] =>
  question.choices.map(({ index, uid, label, exclusive }) => ({
    key: String(index),
    index,
    uid,
    label: html`${i18n.surveyText(label)}`,
    attributes: exclusive && type === 'checkbox' ? ' data-exclusive' : '',
  }))

type RenderBox = (context: RenderContext, field: Field, id: string) => Part

/** Renders a box for each row. */
export const rowBoxes = (context: RenderContext, box: RenderBox): Html =>
  html`<div class="rows">
    ${rowsOf(context).map((field) => {
      const id = context.idOf(field.key)
      return html`<div class="row">
        <label for="${id}">${rowTitle(context, field)}</label>
        <div>${errorView(context, field.key)}${box(context, field, id)}</div>
      </div>`
    })}
  </div>`

/** Renders a question with a box for each row. */
export const rowList =
  (box: RenderBox): RenderQuestion =>
  (context) =>
    frame(context, rowBoxes(context, box))

/**
 * Renders a grid with so many cells that they cannot each have an input. Instead, each row has an input into which
 * respondents enter the number of a choice.
 */
export const renderNumberedGrid: RenderQuestion = (context) => {
  const list = `${context.idOf(context.question.id)}-l`
  const renderRows = rowList(
    (_, field, id) =>
      html`
        <input class="box" list="${list}" inputmode="numeric" autocomplete="off" id="${id}" name="${field.storedKey}"
            value="${inputValue(context, field)}"${describedBy(context, field.key)}${
              field.required && html` required`
            }>`,
  )
  return html`${renderRows(context)}<datalist id="${list}">${context.question.choices.map(
    ({ uid, label }) => html`<option value="${uid}">${context.i18n.plainText(label)}</option>`,
  )}</datalist>`
}

/** Returns the value for the input of a row: the number of the choice, or the invalid text that was submitted. */
function inputValue(context: RenderContext, { key, choices }: Field): string {
  const value = textOf(context, key)
  const choice = /^\d+$/.test(value) ? choices[Number(value)] : undefined
  return choice ? formValueOf(choice) : value
}
