import type { QuestionKind } from '../../../domain/structure/questionnaire.ts'
import { html } from '../../../lib/html.ts'
import { booleanFace, dropdownFace, multipleFace, promoterFace, singleFace } from './choice.ts'
import { dropdownGridFace, singleGridFace, textGridFace } from './grid.ts'
import { rankingFace } from './ranking.ts'
import type { RenderContext, RenderQuestion } from './render-context.ts'
import { datetimeFace, textFace } from './text.ts'

/** Renders `section-separator` and any unknown kind: the text only. */
const passage: RenderQuestion = ({ question, i18n }) => {
  const title = i18n.plainText(question.title)
  return html`${title !== '' && html`<h2>${i18n.surveyText(question.title)}</h2>`}${
    i18n.plainText(question.description) !== '' &&
    html`<p class="description">${i18n.surveyText(question.description)}</p>`
  }`
}

const nothing: RenderQuestion = () => html``

const faces: Readonly<Record<QuestionKind, RenderQuestion>> = {
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

/** Renders a question according to its kind. */
export const renderQuestion = (context: RenderContext) => faces[context.question.kind](context)
