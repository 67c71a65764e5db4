import type { Choice } from '../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { fill } from '../../lib/texts.ts'
import { MAX_LISTED_POSITIONS } from '../../questions/ranking.ts'
import { t } from '../i18n/t.ts'
import { choicesHint, choicesOf, group } from './choice-list.ts'
import { inSurveyLanguage, LINE, labelOf } from './paper.ts'
import type { QuestionView, RenderContext } from './question-view.ts'
import { errorView, mainField, textOf } from './render-context.ts'
import { bounds } from './setting-fields.ts'

/** How a `ranking` question is drawn and edited. */
export const ranking: QuestionView<'ranking'> = {
  idname: 'ranking',
  name: () => ({
    label: t('Ranking'),
    hint: t('Respondents put the choices in order.'),
    words: t('order priority rank sort'),
  }),
  withOther: true,
  settings: bounds,
  paper: {
    instructions: ({ question, i18n }) => [
      inSurveyLanguage(i18n.text(i18n.texts.rankHint), i18n),
      inSurveyLanguage(choicesHint({ question, i18n, offered: question.choices, isLive: false }), i18n),
    ],
    render: ({ question, i18n }) =>
      html`<ul class="paper-choices">
        ${question.choices.map(
          (choice) =>
            html`<li><span class="write-box small" aria-hidden="true"></span>
              <span>${labelOf(choice, i18n)}${choice.other && html`: ${LINE}`}</span></li>`,
        )}
      </ul>`,
  },
  render,
}

/**
 * Renders `ranking` as a field for the position of each choice. The script replaces the fields with a list whose items
 * respondents move with buttons.
 */
function render(context: RenderContext): Html {
  const { key } = mainField(context.question)
  const { i18n, idOf, values, question } = context
  const order = Array.isArray(values[key]) ? (values[key] as unknown[]).map(Number) : []
  const positions = new Map(order.map((index, at) => [index, String(at + 1)]))
  const ranks = question.choices.map((_, index) => index + 1)
  const positionOf = ({ index, uid }: Choice) => textOf(context, positionKey(key, uid)) || (positions.get(index) ?? '')
  const { texts } = i18n
  const other = question.choices.find((choice) => choice.other)
  return group(
    context,
    key,
    html`
      <p class="hint">${i18n.text(texts.rankHint)}</p>
      <ol class="ranking" data-up="${texts.moveUp}" data-down="${texts.moveDown}" data-keep="${texts.keepOrder}"
          data-ranked="${texts.ranked}">
        ${choicesOf(context).map((choice) => {
          const { index, uid, label } = choice
          const id = `${idOf(key)}-${index}`
          const name = i18n.plainText(label)
          return html`<li data-item="${name}">
            <label for="${id}">
              <span class="hidden">${i18n.text(fill(texts.rank, { item: '' }))} </span>
              ${i18n.surveyText(label)}
            </label>
            ${positionInput(id, positionKey(key, uid), ranks, positionOf(choice))}
          </li>`
        })}
      </ol>
      ${other && rankedOther(context, other)}`,
  )
}

/** Returns the name of the form field for the position of a choice. */
export const positionKey = (key: string, uid: number): string => `${key}\\rank\\${uid}`

/**
 * Renders the text field of the choice `other`. It is below the list, because the items that respondents move have no
 * room for it.
 */
function rankedOther(context: RenderContext, { label }: Choice): Part {
  const key = `${context.question.id}\\other`
  const { i18n, idOf } = context
  return html`
    <div class="named">
      <label for="${idOf(key)}">${i18n.surveyText(label)}: ${i18n.text(i18n.texts.otherText)}</label>
      <input class="box" type="text" autocomplete="off" id="${idOf(key)}" name="${key}" value="${textOf(context, key)}">
    </div>
    ${errorView(context, key)}`
}

function positionInput(id: string, name: string, ranks: readonly number[], position: string): Part {
  if (ranks.length > MAX_LISTED_POSITIONS)
    return html`
      <input class="box" type="number" min="1" max="${ranks.length}" id="${id}" name="${name}" autocomplete="off"
          value="${position}">`
  return html`<select class="box" id="${id}" name="${name}" autocomplete="off">
    <option value=""></option>
    ${ranks.map((rank) => html`<option${String(rank) === position && html` selected`}>${rank}</option>`)}
  </select>`
}
