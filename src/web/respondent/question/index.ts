import type { QuestionKind } from '../../../domain/structure/questionnaire.ts'
import { html } from '../../../lib/html.ts'
import { booleanFace, dropdownFace, multipleFace, promoterFace, singleFace } from './choice.ts'
import { dropdownGridFace, singleGridFace, textGridFace } from './grid.ts'
import { rankingFace } from './ranking.ts'
import type { Face, RenderContext } from './render-context.ts'
import { datetimeFace, textFace } from './text.ts'

/** `section-separator`, and any kind we do not know: its words, without an answer. */
const passage: Face = ({ question, voice }) => {
  const title = voice.plain(question.title)
  return html`${title !== '' && html`<h2>${voice.say(question.title)}</h2>`}${
    voice.plain(question.description) !== '' && html`<p class="description">${voice.say(question.description)}</p>`
  }`
}

const nothing: Face = () => html``

const faces: Readonly<Record<QuestionKind, Face>> = {
  'section-separator': passage,
  'text-response': textFace,
  'single-choice': singleFace,
  'multiple-choice': multipleFace,
  'dropdown-choice': dropdownFace,
  'boolean-choice': booleanFace,
  datetime: datetimeFace,
  'hidden-field': nothing,
  ranking: rankingFace,
  'single-choice-grid': singleGridFace,
  'text-response-grid': textGridFace,
  'dropdown-grid': dropdownGridFace,
  'net-promoter': promoterFace,
  unknown: passage,
}

/** A question as its kind is shown. */
export const faceOf = (asked: RenderContext) => faces[asked.question.kind](asked)
