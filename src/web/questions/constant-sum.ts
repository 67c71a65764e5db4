import type { Field } from '../../domain/structure/questionnaire.ts'
import { type Html, html } from '../../lib/html.ts'
import { mainForm } from '../../lib/texts.ts'
import { t } from '../i18n/t.ts'
import { keyboardOf } from './number-field.ts'
import { inPageLanguage, inSurveyLanguage, numberRows, unitOf } from './paper.ts'
import type { QuestionView, RenderContext } from './question-view.ts'
import { describedBy, errorView, hintOf, textOf } from './render-context.ts'
import { frame, rowBoxes } from './rows.ts'
import { unitField } from './setting-fields.ts'

/** How a `constant-sum` question is drawn and edited. */
export const constantSum: QuestionView<'constant-sum'> = {
  idname: 'constant-sum',
  name: () => ({
    label: t('Constant sum'),
    hint: t('Respondents distribute 100 points over several rows.'),
    words: t('allocate budget share percent points distribute total'),
  }),
  settings: () => [
    { name: 'total', control: 'number', label: t('Total'), hint: t('Default: 100.') },
    {
      name: 'partial',
      control: 'check',
      label: t('Less is accepted'),
      hint: t('Respondents can distribute less than the total.'),
    },
    {
      name: 'decimals',
      control: 'count',
      label: t('Decimal places'),
      hint: t('Default: 0, which accepts whole numbers only.'),
    },
    unitField(),
  ],
  isFullWidth: true,
  hint: ({ question: { max, partial }, i18n }) =>
    i18n.text(partial ? i18n.texts.sumAtMost : i18n.texts.sumExactly, { total: max! }),
  paper: {
    instructions: ({ question: { partial, max }, i18n }) => [
      inSurveyLanguage(i18n.text(partial ? i18n.texts.sumAtMost : i18n.texts.sumExactly, { total: max! }), i18n),
    ],
    render: (paper) =>
      numberRows(
        paper,
        html`<tr class="total">
          <th scope="row">${inPageLanguage(paper.question.partial ? t('Total (at most)') : t('Total'))}</th>
          <td><p><span class="write-box">${paper.question.max}</span>${unitOf(paper)}</p></td>
        </tr>`,
      ),
  },
  render,
}

/** Renders a text field for each row. The script adds how much remains. */
function render(context: RenderContext): Html {
  const { question, i18n } = context
  const remaining = mainForm(i18n.texts.sumRemaining)
  return frame(
    context,
    html`${hintOf(context)}${errorView(context, question.id)}
      <div data-total="${question.max}" data-decimals="${question.decimals}" data-remaining="${remaining}">
        ${rowBoxes(context, rowInput)}
      </div>`,
  )
}

function rowInput(context: RenderContext, field: Field, id: string): Html {
  const { question, i18n, idOf } = context
  const isFirst = field === question.fields[0]
  const unit = i18n.plainText(question.unit) !== ''
  // The unit describes the fields of all rows, so only one of its elements has the ID.
  return html`<div class="number">
    <input class="box" type="text" inputmode="${keyboardOf(question)}" autocomplete="off" id="${id}"
      name="${field.storedKey}" value="${textOf(context, field.key)}"${describedBy(context, field.key)}>
    ${
      unit &&
      html`<span class="unit"${isFirst && html` id="${idOf(question.id)}-u"`}>${i18n.surveyText(question.unit)}</span>`
    }
  </div>`
}
