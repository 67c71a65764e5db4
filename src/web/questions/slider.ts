import type { LanguageText, Question } from '../../domain/structure/questionnaire.ts'
import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { keyboardOf, numberField, rangeHint } from './number-field.ts'
import { isShown, limits, numberBox, scale, tickOne, unitOf } from './paper.ts'
import type { QuestionView, RenderContext } from './question-view.ts'
import { unitField } from './setting-fields.ts'

/** How a `slider` question is drawn and edited. */
export const slider: QuestionView<'slider'> = {
  idname: 'slider',
  name: () => ({
    label: t('Slider'),
    hint: t('A number between two limits.'),
    words: t('range scale vas percent slide'),
  }),
  settings: () => [
    { name: 'min', control: 'number', label: t('Lowest value'), hint: t('Default: 0.') },
    { name: 'max', control: 'number', label: t('Highest value'), hint: t('Default: 100.') },
    { name: 'step', control: 'number', label: t('Step'), hint: t('The distance between two values. Default: 1.') },
    unitField(),
    { name: 'leftLabel', control: 'text', label: t('Label of the lowest value') },
    { name: 'rightLabel', control: 'text', label: t('Label of the highest value') },
  ],
  isFullWidth: true,
  hint: rangeHint,
  paper: {
    instructions: (paper) => {
      if (sliderValues(paper.question)) return tickOne()
      const { step = 1 } = paper.question
      return [
        Number.isInteger(step) ? t('Write a whole number.') : t('Write a number.'),
        limits(paper),
        step !== 1 && t('In steps of {step}.', { step }),
      ]
    },
    render: (paper) => {
      const values = sliderValues(paper.question)
      if (values)
        return html`${scale(
          paper,
          values.map((value) => [value, null]),
        )}${unitOf(paper) && html`<p>${unitOf(paper)}</p>`}`
      const { leftLabel, rightLabel, min, max } = paper.question
      const end = (value: number | undefined, label: LanguageText | undefined) =>
        isShown(label, paper.i18n) && html`<p>${value} = ${paper.i18n.surveyText(label)}</p>`
      return html`${end(min, leftLabel)}${end(max, rightLabel)}${numberBox(paper)}`
    },
  },
  render,
}

/** Renders `slider` as a number field. The script adds a slider to this field. */
function render(context: RenderContext): Html {
  const { question, i18n } = context
  const { min, max, step, leftLabel, rightLabel } = question
  const limits = html`min="${min}" max="${max}" step="${step}"`
  const hasEnds = [leftLabel, rightLabel].some((label) => i18n.plainText(label) !== '')
  return html`
    ${numberField(
      context,
      html`type="number" inputmode="${keyboardOf({
        ...question,
        decimals: Number.isInteger(step) ? 0 : 1,
      })}" ${limits}`,
      html` data-slider`,
    )}
    ${
      hasEnds &&
      html`<p class="scale-ends">
        <span>${i18n.surveyText(leftLabel)}</span>
        <span>${i18n.surveyText(rightLabel)}</span>
      </p>`
    }`
}

/** Maximum number of values of a slider that have a box each. Otherwise, respondents write the number. */
const MAX_SCALE_VALUES = 21

/** Returns the values of a slider; undefined if they are too many for a box each. */
function sliderValues({ min = 0, max = 100, step = 1 }: Question): string[] | undefined {
  const count = Math.floor((max - min) / step + 1e-9) + 1
  if (count > MAX_SCALE_VALUES) return undefined
  return Array.from({ length: count }, (_, index) => String(Number((min + index * step).toPrecision(12))))
}
