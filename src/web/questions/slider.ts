import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { keyboardOf, numberField, rangeHint } from './number-field.ts'
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
