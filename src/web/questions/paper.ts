import { codedChoices } from '../../domain/structure/choices.ts'
import type { Choice, Field, LanguageText, Question } from '../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { Translator } from '../i18n/i18n.ts'
import { pageDirection, pageLanguage } from '../i18n/page-locale.ts'
import { t } from '../i18n/t.ts'
import { choicesHint } from './choice-list.ts'
import { rangeHint } from './number-field.ts'
import type { PaperQuestion, PaperView } from './question-view.ts'
import { mainField } from './render-context.ts'

/** Marks a text as one in the language of the interface, within the texts of the survey. */
export const inPageLanguage = (text: Part): Html =>
  html`<span lang="${pageLanguage()}" dir="${pageDirection()}">${text}</span>`

export const TICK = html`<span class="tick" aria-hidden="true"></span>`
export const LINE = html`<span class="line" aria-hidden="true"></span>`

/** Maximum number of lines that are printed for a text, so that the question fits on a sheet. */
const MAX_LINES = 20
/** Maximum number of columns of a table. If a grid has more, respondents write the number of a column in each row. */
const MAX_COLUMNS = 9
/** Minimum number of choices that are printed in two columns. */
const MIN_TWO_COLUMNS = 9

/** Returns the code of each choice of a field in the codebook, by the index of the choice. */
const codesOf = (field: Field): ReadonlyMap<number, string> =>
  new Map(codedChoices(field).map(({ index, code }) => [index, code]))

export const isShown = (text: LanguageText | undefined, { plainText }: Translator): boolean => plainText(text) !== ''

/** Renders a box to tick for each choice, with the code of the choice in the codebook. */
function tickList({ question, i18n }: PaperQuestion, isSeveral = false): Html {
  const codes = codesOf(mainField(question))
  return html`<ul class="${listClass(question)}">
    ${question.choices.map(
      (choice) =>
        html`<li>${
          choice.image &&
          html`<img src="${choice.image.url}" alt="${i18n.plainText(choice.image.alt)}" referrerpolicy="no-referrer">`
        }${TICK}<span class="code">${codes.get(choice.index)}</span> <span>${labelOf(choice, i18n)}${
          isSeveral && choice.exclusive && html` ${inPageLanguage(t('(tick no other box)'))}`
        }${choice.other && html`: ${LINE}`}</span></li>`,
    )}
  </ul>`
}

/** Returns the class of a list of choices. Long lists have two columns. */
const listClass = ({ choices }: Question): string =>
  choices.some(({ image }) => image)
    ? 'paper-choices paper-pictures'
    : choices.length < MIN_TWO_COLUMNS
      ? 'paper-choices'
      : 'paper-choices many'

/** Returns the label of a choice. An image without a label has the text that describes it. */
export const labelOf = ({ label, image }: Choice, i18n: Translator): Part =>
  i18n.surveyText(isShown(label, i18n) ? label : image?.alt)

export const tickOne = (): Part[] => [t('Tick one box.')]
const tickSeveral = ({ question, i18n }: PaperQuestion): Part[] => [
  t('Tick all that apply.'),
  inSurveyLanguage(choicesHint({ question, i18n, offered: question.choices, isLive: false }), i18n),
]

export const inSurveyLanguage = (text: Part, { language }: Translator): Part =>
  text && html`<span lang="${language}">${text}</span>`

/** Renders the numbers of a scale, each with a box, between the labels of its ends. */
export function scale(
  { question, i18n }: PaperQuestion,
  values: readonly (readonly [code: string, label: Part])[],
): Html {
  const { leftLabel, rightLabel } = question
  return html`<div class="paper-scale">
    ${isShown(leftLabel, i18n) && html`<span>${i18n.surveyText(leftLabel)}</span>`}
    <ul>
      ${values.map(([code, label]) => html`<li><span class="code">${code}</span>${TICK}${label}</li>`)}
    </ul>
    ${isShown(rightLabel, i18n) && html`<span>${i18n.surveyText(rightLabel)}</span>`}
  </div>`
}

const choiceScale = (paper: PaperQuestion): Html =>
  scale(
    paper,
    paper.question.choices.map(({ index, label }) => [
      String(index),
      paper.i18n.plainText(label) !== String(index) && html`<span>${paper.i18n.surveyText(label)}</span>`,
    ]),
  )

export const unitOf = ({ question: { unit }, i18n }: PaperQuestion): Part =>
  isShown(unit, i18n) && html` ${i18n.surveyText(unit)}`

export const numberBox = (paper: PaperQuestion): Html =>
  html`<p><span class="write-box" aria-hidden="true"></span>${unitOf(paper)}</p>`

export const limits = ({ question, i18n }: PaperQuestion): Part =>
  inSurveyLanguage(rangeHint({ question: question.validation ?? question, i18n }), i18n)

/** Renders the rows of a question, each with a box for a number. */
export const numberRows = (paper: PaperQuestion, last?: Part): Html =>
  html`<table class="paper-rows">
    <tbody>
      ${paper.question.fields.map(
        ({ row }) =>
          html`<tr><th scope="row">${paper.i18n.surveyText(row?.label)}</th><td>${numberBox(paper)}</td></tr>`,
      )}
      ${last}
    </tbody>
  </table>`

/** Renders a grid as a table; a grid with many columns as rows in which respondents write the number of a column. */
function grid(paper: PaperQuestion): Html {
  const { question, i18n } = paper
  const codes = codesOf(mainField(question))
  if (isWide(question))
    return html`<ul class="paper-choices many">
        ${question.choices.map(
          ({ index, label }) =>
            html`<li><span class="code">${codes.get(index)}</span> <span>${i18n.surveyText(label)}</span></li>`,
        )}
      </ul>
      ${numberRows(paper)}`
  const name = i18n.plainText(question.title) || question.id
  return html`<div class="data-table" role="region" tabindex="0" aria-label="${name}">
    <table class="paper-grid">
      <thead>
        <tr><td></td>${question.choices.map(({ label }) => html`<th scope="col">${i18n.surveyText(label)}</th>`)}</tr>
      </thead>
      <tbody>
        ${question.fields.map(
          ({ row }) =>
            html`<tr>
              <th scope="row">${i18n.surveyText(row?.label)}</th>
              ${question.choices.map(
                ({ index }) => html`<td>${TICK}<span class="code">${codes.get(index)}</span></td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

const isWide = ({ choices }: Question): boolean => choices.length > MAX_COLUMNS

export const oneInRows: PaperView = {
  instructions: ({ question }) => [
    isWide(question) ? t('Write the number of one answer in each row.') : t('Tick one box in each row.'),
  ],
  render: grid,
}

export const oneChoice: PaperView = { instructions: tickOne, render: (paper) => tickList(paper) }
export const severalChoices: PaperView = { instructions: tickSeveral, render: (paper) => tickList(paper, true) }
export const oneOfScale: PaperView = { instructions: tickOne, render: choiceScale }

export const textLines = (count: number): Html =>
  html`<div class="lines" aria-hidden="true">${Array.from({ length: count }, () => LINE)}</div>`

/** Returns sentences about the text that a question accepts. */
function textInstructions(paper: PaperQuestion): Part[] {
  const { kind, minLength, maxLength } = paper.question.validation ?? {}
  return [
    kind && KINDS_OF_TEXT[kind](),
    limits(paper),
    minLength !== undefined && minLength > 1 && t('At least {count} characters.', { count: minLength }),
    maxLength !== undefined && t('At most {count} characters.', { count: maxLength }),
  ]
}

const KINDS_OF_TEXT = {
  email: () => t('Write an email address.'),
  integer: () => t('Write a whole number.'),
  number: () => t('Write a number.'),
  url: () => t('Write the address of a web page.'),
  phone: () => t('Write a phone number.'),
  letters: () => t('Write letters only.'),
} as const

export const severalInRows: PaperView = {
  instructions: ({ question }) => [
    isWide(question)
      ? t('Write the numbers of all answers that apply in each row.')
      : t('Tick all that apply in each row.'),
  ],
  render: grid,
}

export const oneLine: PaperView = { instructions: textInstructions, render: () => textLines(1) }

export const ownLines: PaperView = {
  instructions: textInstructions,
  render: ({ question: { lines = 1 } }) => textLines(Math.min(lines, MAX_LINES)),
}
