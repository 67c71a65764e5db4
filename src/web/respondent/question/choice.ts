import type { Choice } from '../../../domain/structure/questionnaire.ts'
import { shuffled } from '../../../domain/structure/randomize.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import {
  describedBy,
  describedGroup,
  descriptionOf,
  errorView,
  formValueOf,
  isSelected,
  limitOf,
  mainField,
  type RenderContext,
  type RenderQuestion,
  textOf,
  titleOf,
} from './render-context.ts'

/** Returns the choices in the order shown to this respondent. */
export const choicesOf = ({ question, seed }: RenderContext): readonly Choice[] =>
  question.randomize ? shuffled(question.choices, `${seed}${question.id}`) : question.choices

/** Renders a question of several elements as a named group. */
export const group = (asked: RenderContext, key: string, content: Part): Html =>
  html`<fieldset class="group" id="${asked.idOf(key)}" tabindex="-1"${describedGroup(asked, key)}><legend class="ask">${titleOf(asked)}</legend>
${descriptionOf(asked)}${limitOf(asked)}${errorView(asked, key)}${content}</fieldset>`

/** Renders the text field of the choices with `other`, beside the first of them: an answer has one such text. */
function otherBox(asked: RenderContext, choice: Choice): Part {
  const key = `${asked.question.id}\\other`
  const { i18n, idOf, question } = asked
  const others = question.choices.filter(({ other }) => other).map(formValueOf)
  return html`<div class="other"><label class="hidden" for="${idOf(key)}">${i18n.surveyText(choice.label)}: ${i18n.text(i18n.texts.other)}</label><input class="box" type="text" autocomplete="off" id="${idOf(key)}" name="${key}" value="${textOf(asked, key)}" placeholder="${i18n.texts.other}" data-other="${others.join(' ')}"></div>${errorView(asked, key)}`
}

const tick = (type: 'radio' | 'checkbox') => (asked: RenderContext) => {
  const { key } = mainField(asked.question)
  const { idOf, i18n, question } = asked
  const required = type === 'radio' && question.required
  const otherIndex = question.choices.find(({ other }) => other)?.index
  return group(
    asked,
    key,
    html`<div class="choices">${choicesOf(asked).map((choice) => {
      const id = `${idOf(key)}-${choice.index}`
      return html`<div class="choice"><input type="${type}" id="${id}" name="${key}" value="${formValueOf(choice)}"${isSelected(asked, key, choice.index) && html` checked`}${required && html` required`}${choice.exclusive && html` data-exclusive`}><label for="${id}">${i18n.surveyText(choice.label)}</label></div>${choice.index === otherIndex && otherBox(asked, choice)}`
    })}</div>`,
  )
}

/** Renders `single-choice`. */
export const singleFace: RenderQuestion = tick('radio')

/** Renders `multiple-choice`. */
export const multipleFace: RenderQuestion = tick('checkbox')

/** Renders `boolean-choice`; the first choice is true. */
export const booleanFace: RenderQuestion = (asked) => {
  const { key } = mainField(asked.question)
  const { question, i18n, idOf } = asked
  return group(
    asked,
    key,
    html`<div class="choices pair">${choicesOf(asked).map(({ index, uid, label }) => {
      const id = `${idOf(key)}-${index}`
      return html`<div class="choice"><input type="radio" id="${id}" name="${key}" value="${String(uid === 0)}"${isSelected(asked, key, index === 0) && html` checked`}${question.required && html` required`}><label for="${id}">${i18n.surveyText(label)}</label></div>`
    })}</div>`,
  )
}

/** Renders the options of a drop-down, an empty one first. */
export const optionsOf = (asked: RenderContext, key: string, choices: readonly Choice[]): Part => [
  html`<option value="">${asked.i18n.texts.choose}</option>`,
  ...choices.map(
    (choice) =>
      html`<option value="${formValueOf(choice)}"${isSelected(asked, key, choice.index) && html` selected`}>${asked.i18n.plainText(choice.label)}</option>`,
  ),
]

/** Renders `dropdown-choice`. */
export const dropdownFace: RenderQuestion = (asked) => {
  const { key } = mainField(asked.question)
  const other = asked.question.choices.find((choice) => choice.other)
  return html`<label class="ask" for="${asked.idOf(key)}">${titleOf(asked)}</label>
${descriptionOf(asked)}${errorView(asked, key)}<select class="box" id="${asked.idOf(key)}" name="${key}" autocomplete="off"${describedBy(asked, key)}${asked.question.required && html` required`}>${optionsOf(asked, key, choicesOf(asked))}</select>${other && otherBox(asked, other)}`
}

/** Renders `net-promoter`: 0 to 10 in a row. */
export const promoterFace: RenderQuestion = (asked) => {
  const { key } = mainField(asked.question)
  const { question, idOf, i18n } = asked
  // The long form labels each value; the first and the last label are shown at the ends.
  const named = (index: number) => {
    const label = question.choices[index]?.label
    return i18n.plainText(label) === String(index) ? undefined : label
  }
  const { leftLabel = named(0), rightLabel = named(10) } = question
  const inWords = (index: number) => (index === 0 ? leftLabel : index === 10 ? rightLabel : named(index))
  const ends = [leftLabel, rightLabel].some((label) => i18n.plainText(label) !== '')
  return group(
    asked,
    key,
    html`<div class="scale">${question.choices.map(({ index }) => {
      const id = `${idOf(key)}-${index}`
      const words = inWords(index)
      return html`<div class="step"><input type="radio" id="${id}" name="${key}" value="${index}"${isSelected(asked, key, index) && html` checked`}${question.required && html` required`}><label for="${id}">${index}${words && html`<span class="hidden"> (${i18n.surveyText(words)})</span>`}</label></div>`
    })}</div>${ends && html`<p class="ends" aria-hidden="true"><span>${i18n.surveyText(leftLabel)}</span><span>${i18n.surveyText(rightLabel)}</span></p>`}`,
  )
}
