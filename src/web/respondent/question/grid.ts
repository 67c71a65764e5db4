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

/** A row's name, with a mark where the row needs an answer and the question as a whole does not say so. */
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
 * `single-choice-grid`: a table on a desk, a card a row on a phone. The roles are spelled out because a table that is
 * laid out as something else is none for assistive technology.
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

/** `dropdown-grid` */
export const dropdownGridFace: RenderQuestion = (asked) => (asked.oversized ? numberedGrid(asked) : dropdownGrid(asked))

/** A grid that is too large for one element a cell: each row takes the number of a choice, offered from one list. */
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

/** What stands in the box of a row: the choice as it is sent, or what was typed and is none. */
function sentIn(asked: RenderContext, { key, choices }: Field): string {
  const value = textOf(asked, key)
  const choice = /^\d+$/.test(value) ? choices[Number(value)] : undefined
  return choice ? formValueOf(choice) : value
}

/** `text-response-grid` */
export const textGridFace: RenderQuestion = rowList((asked, field) => textBox(asked, field, field.required))
