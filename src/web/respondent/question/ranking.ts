import { MAX_LISTED_POSITIONS } from '../../../domain/structure/cells.ts'
import type { Choice } from '../../../domain/structure/questionnaire.ts'
import { html, type Part } from '../../../lib/html.ts'
import { fill } from '../../i18n/locales.ts'
import { choicesOf, group } from './choice.ts'
import { errorView, mainField, type RenderContext, type RenderQuestion, textOf } from './render-context.ts'

/** Returns the field name of the position of a choice. */
export const positionKey = (key: string, uid: number): string => `${key}\\rank\\${uid}`

/** Renders the text field of the choice `other`: below the list, because the movable items have no room for it. */
function rankedOther(context: RenderContext, { label }: Choice): Part {
  const key = `${context.question.id}\\other`
  const { i18n, idOf } = context
  return html`<div class="named"><label for="${idOf(key)}">${i18n.surveyText(label)}: ${i18n.text(i18n.texts.other)}</label><input class="box" type="text" autocomplete="off" id="${idOf(key)}" name="${key}" value="${textOf(context, key)}"></div>${errorView(context, key)}`
}

function positionBox(id: string, name: string, places: readonly number[], position: string): Part {
  if (places.length > MAX_LISTED_POSITIONS)
    return html`<input class="box" type="number" min="1" max="${places.length}" id="${id}" name="${name}" autocomplete="off" value="${position}">`
  return html`<select class="box" id="${id}" name="${name}" autocomplete="off"><option value=""></option>${places.map((place) => html`<option${String(place) === position && html` selected`}>${place}</option>`)}</select>`
}

/** Renders `ranking`: a position for each choice. The script turns it into a list with buttons that move its items. */
export const rankingFace: RenderQuestion = (context) => {
  const { key } = mainField(context.question)
  const { i18n, idOf, values, question } = context
  const order = Array.isArray(values[key]) ? (values[key] as unknown[]).map(Number) : []
  const positions = new Map(order.map((index, at) => [index, String(at + 1)]))
  const places = question.choices.map((_, index) => index + 1)
  const positionOf = ({ index, uid }: Choice) => textOf(context, positionKey(key, uid)) || (positions.get(index) ?? '')
  const { texts } = i18n
  const other = question.choices.find((choice) => choice.other)
  return group(
    context,
    key,
    html`<p class="hint">${i18n.text(texts.rankHint)}</p>
<ol class="ranking" data-up="${texts.moveUp}" data-down="${texts.moveDown}" data-keep="${texts.keepOrder}" data-ranked="${texts.ranked}">${choicesOf(
      context,
    ).map((choice) => {
      const { index, uid, label } = choice
      const id = `${idOf(key)}-${index}`
      const name = i18n.plainText(label)
      return html`<li data-item="${name}"><label for="${id}"><span class="hidden">${i18n.text(fill(texts.rank, { item: '' }))} </span>${i18n.surveyText(label)}</label>${positionBox(id, positionKey(key, uid), places, positionOf(choice))}</li>`
    })}</ol>${other && rankedOther(context, other)}`,
  )
}
