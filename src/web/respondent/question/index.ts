import type { QuestionKind } from '../../../domain/structure/questionnaire.ts'
import { html } from '../../../lib/html.ts'
import {
  renderBoolean,
  renderDropdown,
  renderMultipleChoice,
  renderNetPromoter,
  renderRating,
  renderSingleChoice,
} from './choice.ts'
import { renderConsent } from './consent.ts'
import { renderFileUpload } from './file.ts'
import { renderChoiceGrid, renderDropdownGrid, renderMultipleChoiceGrid, renderTextGrid } from './grid.ts'
import { renderImageChoice } from './image-choice.ts'
import { renderNumber, renderSlider } from './number.ts'
import { renderRanking } from './ranking.ts'
import type { RenderContext, RenderQuestion } from './render-context.ts'
import { renderSignature } from './signature.ts'
import { renderDatetime, renderText } from './text.ts'

/** Renders `section-separator` and questions of an unknown kind. Both show only their texts. */
const renderSection: RenderQuestion = ({ question, i18n }) => {
  const title = i18n.plainText(question.title)
  return html`${title !== '' && html`<h2>${i18n.surveyText(question.title)}</h2>`}${
    i18n.plainText(question.description) !== '' &&
    html`<p class="description">${i18n.surveyText(question.description)}</p>`
  }`
}

const renderNothing: RenderQuestion = () => html``

const renderers: Readonly<Record<QuestionKind, RenderQuestion>> = {
  'section-separator': renderSection,
  'text-response': renderText,
  'single-choice': renderSingleChoice,
  'multiple-choice': renderMultipleChoice,
  'dropdown-choice': renderDropdown,
  'boolean-choice': renderBoolean,
  datetime: renderDatetime,
  'hidden-field': renderNothing,
  ranking: renderRanking,
  'single-choice-grid': renderChoiceGrid,
  'text-response-grid': renderTextGrid,
  'dropdown-grid': renderDropdownGrid,
  'net-promoter': renderNetPromoter,
  number: renderNumber,
  email: renderText,
  rating: renderRating,
  slider: renderSlider,
  consent: renderConsent,
  calculation: renderNothing,
  'image-choice': renderImageChoice,
  'multiple-choice-grid': renderMultipleChoiceGrid,
  'file-upload': renderFileUpload,
  signature: renderSignature,
  unknown: renderSection,
}

/** Renders a question according to its kind. */
export const renderQuestion = (context: RenderContext) => renderers[context.question.kind](context)
