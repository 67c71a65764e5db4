import type { Field } from '../../../domain/structure/questionnaire.ts'
import { shuffled } from '../../../domain/structure/randomize.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { optionsOf } from './choice.ts'
import {
  describedBy,
  descriptionOf,
  errorView,
  formValueOf,
  isSelected,
  type RenderContext,
  type RenderQuestion,
  textOf,
  titleOf,
} from './render-context.ts'
import { textBox } from './text.ts'

const rowsOf = ({ question, seed }: RenderContext): readonly Field[] =>
  question.randomize ? shuffled(question.fields, `${seed}${question.id}`) : question.fields

/** Renders the title of a row, with a sign if the row is required but the question as a whole is not. */
const rowTitle = (asked: RenderContext, { row, required }: Field): Part => [
  asked.i18n.surveyText(row?.label),
  required &&
    !asked.question.required &&
    html` <span class="required">${asked.i18n.text(asked.i18n.texts.required)}</span>`,
]

const frame = (asked: RenderContext, content: Html): Html =>
  html`<fieldset class="group" id="${asked.idOf(asked.question.id)}" tabindex="-1"><legend class="ask">${titleOf(asked)}</legend>
${descriptionOf(asked)}${content}</fieldset>`

/**
 * Renders `single-choice-grid`: a table on wide screens, a card per row on phones. Explicit roles keep it a table for assistive
 * technology whatever its layout.
 */
export const singleGridFace: RenderQuestion = (asked) => {
  if (asked.oversized) return numberedGrid(asked)
  const { idOf, i18n, question } = asked
  return frame(
    asked,
    html`<table class="grid" role="table"><thead role="rowgroup"><tr role="row"><td role="cell"></td>${question.choices.map(
      ({ label }) => html`<th role="columnheader" scope="col">${i18n.surveyText(label)}</th>`,
    )}</tr></thead><tbody role="rowgroup">${rowsOf(asked).map((field) => {
      const id = idOf(field.key)
      const state = html`${field.required && html` required`}${describedBy(asked, field.key)}`
      return html`<tr role="row" id="${id}" tabindex="-1"><th role="rowheader" scope="row"><span id="${id}-t">${rowTitle(asked, field)}</span>${errorView(asked, field.key)}</th>${question.choices.map(
        ({ index, uid, label }) =>
          html`<td role="cell"><input type="radio" id="${id}-${index}" name="${field.storedKey}" value="${uid}" aria-labelledby="${id}-t ${id}-${index}-l"${isSelected(asked, field.key, index) && html` checked`}${state}><label for="${id}-${index}" id="${id}-${index}-l">${i18n.surveyText(label)}</label></td>`,
      )}</tr>`
    })}</tbody></table>`,
  )
}

const rowList =
  (box: (asked: RenderContext, field: Field, id: string) => Part): RenderQuestion =>
  (asked) =>
    frame(
      asked,
      html`<div class="rows">${rowsOf(asked).map((field) => {
        const id = asked.idOf(field.key)
        return html`<div class="row"><label for="${id}">${rowTitle(asked, field)}</label><div>${errorView(asked, field.key)}${box(asked, field, id)}</div></div>`
      })}</div>`,
    )

const dropdownGrid: RenderQuestion = rowList(
  (asked, field, id) =>
    html`<select class="box" id="${id}" name="${field.storedKey}" autocomplete="off"${describedBy(asked, field.key)}${field.required && html` required`}>${optionsOf(asked, field.key, field.choices)}</select>`,
)

/** Renders `dropdown-grid`. */
export const dropdownGridFace: RenderQuestion = (asked) => (asked.oversized ? numberedGrid(asked) : dropdownGrid(asked))

/** Renders a grid that is too large for an element per cell: each row takes the number of a choice from a shared list. */
const numberedGrid: RenderQuestion = (asked) => {
  const list = `${asked.idOf(asked.question.id)}-l`
  const face = rowList(
    (_, field, id) =>
      html`<input class="box" list="${list}" inputmode="numeric" autocomplete="off" id="${id}" name="${field.storedKey}" value="${sentIn(asked, field)}"${describedBy(asked, field.key)}${field.required && html` required`}>`,
  )
  return html`${face(asked)}<datalist id="${list}">${asked.question.choices.map(
    ({ uid, label }) => html`<option value="${uid}">${asked.i18n.plainText(label)}</option>`,
  )}</datalist>`
}

/** Returns the value of the field of a row: the submitted choice, or the invalid input. */
function sentIn(asked: RenderContext, { key, choices }: Field): string {
  const value = textOf(asked, key)
  const choice = /^\d+$/.test(value) ? choices[Number(value)] : undefined
  return choice ? formValueOf(choice) : value
}

/** Renders `text-response-grid`. */
export const textGridFace: RenderQuestion = rowList((asked, field) => textBox(asked, field, field.required))
