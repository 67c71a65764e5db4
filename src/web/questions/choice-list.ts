import type { Choice, LanguageText } from '../../domain/structure/questionnaire.ts'
import { shuffle } from '../../domain/structure/randomize.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { RenderContext } from './question-view.ts'
import {
  describedGroup,
  descriptionOf,
  errorView,
  formValueOf,
  hintOf,
  isSelected,
  mainField,
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
  html`<fieldset class="group" id="${context.idOf(key)}" tabindex="-1"${describedGroup(context, key)}>
    <legend class="question-label">${titleOf(context)}</legend>
    ${descriptionOf(context)}
    ${hintOf(context)}
    ${errorView(context, key)}
    ${content}
  </fieldset>`

/** The form value of the radio button that clears an answer. */
export const NO_ANSWER = '_none'

/**
 * Renders the radio button that clears the answer of an optional question. Style sheets show it as soon as there is an
 * answer.
 */
export const clearButton = ({ idOf, i18n, question }: RenderContext, key: string): Part =>
  !question.required &&
  html`<div class="none">
    <input type="radio" id="${idOf(key)}-none" name="${key}" value="${NO_ANSWER}">
    <label for="${idOf(key)}-none">${i18n.text(i18n.texts.noAnswer)}</label>
  </div>`

/**
 * Renders the text field for choices with `other`. An answer can have only one such text, so there is one field. It is
 * below the first of these choices, or below the drop-down list.
 */
export function otherBox(context: RenderContext, choice: Choice): Part {
  const key = `${context.question.id}\\other`
  const { i18n, idOf, question } = context
  const otherValues = question.choices.filter(({ other }) => other).map(formValueOf)
  return html`
    <div class="other">
      <label class="hidden" for="${idOf(key)}">
        ${i18n.surveyText(choice.label)}: ${i18n.text(i18n.texts.otherText)}
      </label>
      <input class="box" type="text" autocomplete="off" id="${idOf(key)}" name="${key}" value="${textOf(context, key)}"
          placeholder="${i18n.texts.otherText}" data-other="${otherValues.join(' ')}">
    </div>
    ${errorView(context, key)}`
}

/** Renders choices as radio buttons or checkboxes. */
export const choiceList = (type: 'radio' | 'checkbox') => (context: RenderContext) => {
  const { key } = mainField(context.question)
  const { idOf, i18n, question } = context
  const required = type === 'radio' && question.required
  const otherIndex = (context.isLive ? question.choices : context.offered).find(({ other }) => other)?.index
  const render = (choice: Choice) => {
    const id = `${idOf(key)}-${choice.index}`
    return html`
      <div class="choice">
        <input type="${type}" id="${id}" name="${key}" value="${formValueOf(choice)}"${
          isSelected(context, key, choice.index) && html` checked`
        }${required && html` required`}${choice.exclusive && html` data-exclusive`}>
        <label for="${id}">${i18n.surveyText(choice.label)}</label>
      </div>
      ${choice.index === otherIndex && otherBox(context, choice)}`
  }
  return group(
    context,
    key,
    html`
      <div class="choices"${liveAttribute(context)}>${choicesOf(context).map(render)}</div>
      ${liveTemplate(context, render)}
      ${type === 'radio' && clearButton(context, key)}`,
  )
}

/** Renders a choice of a drop-down list. */
export const option = (context: RenderContext, key: string) => (choice: Choice) =>
  html`<option value="${formValueOf(choice)}"${choice.other && html` class="specify"`}${
    isSelected(context, key, choice.index) && html` selected`
  }>${context.i18n.plainText(choice.label)}</option>`

/** Renders the options of a drop-down list. The first option is empty. */
export const optionsOf = (context: RenderContext, key: string, choices: readonly Choice[]): Part => [
  html`<option value="">${context.i18n.texts.choose}</option>`,
  ...choices.map(option(context, key)),
]

/** Renders the labels at the ends of a scale. */
export const scaleEnds = (
  { i18n }: RenderContext,
  leftLabel: LanguageText | undefined,
  rightLabel: LanguageText | undefined,
): Part =>
  [leftLabel, rightLabel].some((label) => i18n.plainText(label) !== '') &&
  html`<p class="scale-ends" aria-hidden="true">
    <span>${i18n.surveyText(leftLabel)}</span>
    <span>${i18n.surveyText(rightLabel)}</span>
  </p>`

/** Returns how many choices respondents can select, if they can select several. */
export function choicesHint({
  question,
  i18n,
  offered,
  isLive,
}: Pick<RenderContext, 'question' | 'i18n' | 'offered' | 'isLive'>): Part {
  const { minSelected = 0, maxSelected: most } = question
  const { length: count } = isLive ? question.choices : offered
  const least = Math.min(minSelected, count)
  const bounded = most !== undefined && most < count
  if (least < 2 && !bounded) return null
  const { chooseExactly, chooseAtLeast, chooseAtMost, chooseBetween } = i18n.texts
  return !bounded
    ? i18n.text(chooseAtLeast, { n: least })
    : least === most
      ? i18n.text(chooseExactly, { n: most })
      : least > 1
        ? i18n.text(chooseBetween, { n: least, most })
        : i18n.text(chooseAtMost, { n: most })
}
