import type { Choice, LanguageText } from '../../../domain/structure/questionnaire.ts'
import { shuffle } from '../../../domain/structure/randomize.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import {
  describedBy,
  describedGroup,
  descriptionOf,
  errorView,
  formValueOf,
  hintOf,
  isSelected,
  mainField,
  type RenderContext,
  type RenderQuestion,
  textOf,
  titleOf,
} from './render-context.ts'

/** Returns all choices in the order in which this respondent sees them. */
const inOrder = ({ question, seed }: RenderContext): readonly Choice[] =>
  question.randomize ? shuffle(question.choices, `${seed}${question.id}`) : question.choices

/** Returns the offered choices in the order in which this respondent sees them. */
export function choicesOf(context: RenderContext): readonly Choice[] {
  const { question, offered } = context
  if (!question.choiceFilter) return inOrder(context)
  const isOffered = new Set(offered)
  return inOrder(context).filter((choice) => isOffered.has(choice))
}

/** Returns the attribute of the element whose choices the script changes. */
export const liveAttribute = ({ isLive }: RenderContext): Part => isLive && html` data-choices`

/** Renders all choices in a template, from which the script takes those that are offered. */
export const liveTemplate = (context: RenderContext, render: (choice: Choice) => Part): Part =>
  context.isLive && html`<template>${inOrder(context).map(render)}</template>`

/** Renders a question as a fieldset whose legend is the title of the question. */
export const group = (context: RenderContext, key: string, content: Part): Html =>
  html`<fieldset class="group" id="${context.idOf(key)}" tabindex="-1"${describedGroup(context, key)}><legend class="question-label">${titleOf(context)}</legend>
${descriptionOf(context)}${hintOf(context)}${errorView(context, key)}${content}</fieldset>`

/** The kinds of questions that are rendered as radio buttons. Browsers submit nothing for them if none is chosen. */
export const RADIO_KINDS: ReadonlySet<string> = new Set([
  'single-choice',
  'boolean-choice',
  'image-choice',
  'rating',
  'net-promoter',
  'single-choice-grid',
])

/** The form value of the radio button that clears an answer. */
export const NO_ANSWER = '_none'

/**
 * Renders the radio button that clears the answer of an optional question. Style sheets show it as soon as there is an
 * answer.
 */
export const clearButton = ({ idOf, i18n, question }: RenderContext, key: string): Part =>
  !question.required &&
  html`<div class="none"><input type="radio" id="${idOf(key)}-none" name="${key}" value="${NO_ANSWER}"><label for="${idOf(key)}-none">${i18n.text(i18n.texts.noAnswer)}</label></div>`

/**
 * Renders the text field for choices with `other`. An answer can have only one such text, so there is one field. It is
 * below the first of these choices, or below the drop-down list.
 */
function otherBox(context: RenderContext, choice: Choice): Part {
  const key = `${context.question.id}\\other`
  const { i18n, idOf, question } = context
  const otherValues = question.choices.filter(({ other }) => other).map(formValueOf)
  return html`<div class="other"><label class="hidden" for="${idOf(key)}">${i18n.surveyText(choice.label)}: ${i18n.text(i18n.texts.otherText)}</label><input class="box" type="text" autocomplete="off" id="${idOf(key)}" name="${key}" value="${textOf(context, key)}" placeholder="${i18n.texts.otherText}" data-other="${otherValues.join(' ')}"></div>${errorView(context, key)}`
}

const choiceList = (type: 'radio' | 'checkbox') => (context: RenderContext) => {
  const { key } = mainField(context.question)
  const { idOf, i18n, question } = context
  const required = type === 'radio' && question.required
  const otherIndex = (context.isLive ? question.choices : context.offered).find(({ other }) => other)?.index
  const render = (choice: Choice) => {
    const id = `${idOf(key)}-${choice.index}`
    return html`<div class="choice"><input type="${type}" id="${id}" name="${key}" value="${formValueOf(choice)}"${isSelected(context, key, choice.index) && html` checked`}${required && html` required`}${choice.exclusive && html` data-exclusive`}><label for="${id}">${i18n.surveyText(choice.label)}</label></div>${choice.index === otherIndex && otherBox(context, choice)}`
  }
  return group(
    context,
    key,
    html`<div class="choices"${liveAttribute(context)}>${choicesOf(context).map(render)}</div>${liveTemplate(context, render)}${type === 'radio' && clearButton(context, key)}`,
  )
}

/** Renders `single-choice`. */
export const renderSingleChoice: RenderQuestion = choiceList('radio')

/** Renders `multiple-choice`. */
export const renderMultipleChoice: RenderQuestion = choiceList('checkbox')

/** Renders `boolean-choice`. The form submits the choice with the number 0 as true. */
export const renderBoolean: RenderQuestion = (context) => {
  const { key } = mainField(context.question)
  const { question, i18n, idOf } = context
  return group(
    context,
    key,
    html`<div class="choices pair">${choicesOf(context).map(({ index, uid, label }) => {
      const id = `${idOf(key)}-${index}`
      return html`<div class="choice"><input type="radio" id="${id}" name="${key}" value="${String(uid === 0)}"${isSelected(context, key, index === 0) && html` checked`}${question.required && html` required`}><label for="${id}">${i18n.surveyText(label)}</label></div>`
    })}</div>${clearButton(context, key)}`,
  )
}

const option = (context: RenderContext, key: string) => (choice: Choice) =>
  html`<option value="${formValueOf(choice)}"${choice.other && html` class="specify"`}${isSelected(context, key, choice.index) && html` selected`}>${context.i18n.plainText(choice.label)}</option>`

/** Renders the options of a drop-down list. The first option is empty. */
export const optionsOf = (context: RenderContext, key: string, choices: readonly Choice[]): Part => [
  html`<option value="">${context.i18n.texts.choose}</option>`,
  ...choices.map(option(context, key)),
]

/** Renders `dropdown-choice`. */
export const renderDropdown: RenderQuestion = (context) => {
  const { key } = mainField(context.question)
  const other = (context.isLive ? context.question.choices : context.offered).find((choice) => choice.other)
  return html`<label class="question-label" for="${context.idOf(key)}">${titleOf(context)}</label>
${descriptionOf(context)}${errorView(context, key)}<select class="box" id="${context.idOf(key)}" name="${key}" autocomplete="off"${liveAttribute(context)}${describedBy(context, key)}${context.question.required && html` required`}>${optionsOf(context, key, choicesOf(context))}</select>${other && otherBox(context, other)}${liveTemplate(context, option(context, key))}`
}

/** Renders the labels at the ends of a scale. */
const scaleEnds = (
  { i18n }: RenderContext,
  leftLabel: LanguageText | undefined,
  rightLabel: LanguageText | undefined,
): Part =>
  [leftLabel, rightLabel].some((label) => i18n.plainText(label) !== '') &&
  html`<p class="scale-ends" aria-hidden="true"><span>${i18n.surveyText(leftLabel)}</span><span>${i18n.surveyText(rightLabel)}</span></p>`

/** Renders `rating`: a radio button for each number of stars. */
export const renderRating: RenderQuestion = (context) => {
  const { key } = mainField(context.question)
  const { question, idOf, i18n } = context
  const { choices, leftLabel, rightLabel } = question
  const of = choices.length
  const endLabel = (n: number) => (n === 1 ? leftLabel : n === of ? rightLabel : undefined)
  return group(
    context,
    key,
    html`<div class="stars">${choices.map(({ index: n }) => {
      const id = `${idOf(key)}-${n}`
      const end = endLabel(n)
      return html`<div class="star"><input type="radio" id="${id}" name="${key}" value="${n}"${isSelected(context, key, n) && html` checked`}${question.required && html` required`}><label for="${id}"><span class="hidden">${i18n.text(i18n.texts.ratingValue, { n, of })}${i18n.plainText(end) !== '' && html` (${i18n.surveyText(end)})`}</span><span aria-hidden="true">${n}</span></label></div>`
    })}</div>${scaleEnds(context, leftLabel, rightLabel)}${clearButton(context, key)}`,
  )
}

/** Renders `net-promoter`: radio buttons for 0 to 10 in one row. */
export const renderNetPromoter: RenderQuestion = (context) => {
  const { key } = mainField(context.question)
  const { question, idOf, i18n } = context
  // Old structures have labels for single values in `categories`. If a structure has no `leftLabel` and `rightLabel`,
  // the labels of 0 and 10 are shown instead.
  const endLabel = (index: number) => {
    const label = question.choices[index]?.label
    return i18n.plainText(label) === String(index) ? undefined : label
  }
  const { leftLabel = endLabel(0), rightLabel = endLabel(10) } = question
  const labelOf = (index: number) => (index === 0 ? leftLabel : index === 10 ? rightLabel : endLabel(index))
  return group(
    context,
    key,
    html`<div class="scale">${question.choices.map(({ index }) => {
      const id = `${idOf(key)}-${index}`
      const text = labelOf(index)
      return html`<div class="step"><input type="radio" id="${id}" name="${key}" value="${index}"${isSelected(context, key, index) && html` checked`}${question.required && html` required`}><label for="${id}">${index}${text && html`<span class="hidden"> (${i18n.surveyText(text)})</span>`}</label></div>`
    })}</div>${scaleEnds(context, leftLabel, rightLabel)}${clearButton(context, key)}`,
  )
}
