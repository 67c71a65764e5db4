import { t } from '../i18n/t.ts'
import { choiceList, choicesHint } from './choice-list.ts'
import { severalChoices } from './paper.ts'
import type { QuestionView } from './question-view.ts'
import { bounds } from './setting-fields.ts'

/** How a `multiple-choice` question is drawn and edited. */
export const multipleChoice: QuestionView<'multiple-choice'> = {
  idname: 'multiple-choice',
  name: () => ({
    label: t('Multiple choice'),
    hint: t('Respondents pick any number of choices.'),
    words: t('checkboxes select many'),
  }),
  withOther: true,
  exclusiveLabel: () => t('Cannot be combined with other choices'),
  settings: bounds,
  hint: choicesHint,
  paper: severalChoices,
  render: choiceList('checkbox'),
}
